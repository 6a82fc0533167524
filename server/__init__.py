"""The catalog over gRPC, and its command line.

Public: `server.serving` (`serve`, `SkillCatalogServer`) and `server.settings`. The rest is
free to change.
"""
