"""The domain: skills, identity, stores, search and injection.

Public, each from the module that it is written in, so that importing one loads no other:

- `catalog.catalog.Catalog`: everything that a planner, an importer or an operator may ask
- `catalog.identity`: `Identity`, `Role`; `catalog.scope`: `Scope`, `ScopeKind`
- `catalog.search.request`: `SearchRequest`, `Filters`, `SearchMode`, `SearchAnswer`
- `catalog.injection.capability.Capability`
- `catalog.requests`: what get, list and directory are asked and answer
- `catalog.lifecycle`: what propose and delete are asked and answer
- `catalog.skill`: `Skill` and its parts; `catalog.card`: `Card`
- `catalog.errors`: every error, and the reason that it has on the wire
- the seams: `catalog.stores.store.SkillStore`, `catalog.injection.tokens.TokenCounter`,
  `catalog.injection.redaction.RedactionRule`

The rest may change with any version.
"""
