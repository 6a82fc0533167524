"""The tables, once for every relational engine.

The tenant leads every primary key and index, so that rows of one tenant lie together and
the schema distributes by tenant. The global scope belongs to the empty tenant, which no
identity can name. Ids of scopes and entries are unique in the whole store and never used
twice.

The full-text index is not here: each engine builds its own (see `full_text`), fed from
these rows in the same transaction.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

# What the index in this store was built with; compared on open.
setting = Table(
    "setting",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

# `version` grows with every write to the scope; `documents` counts its entries.
scope = Table(
    "scope",
    metadata,
    Column("tenant", Text, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("project", Text, nullable=False),
    Column("user_name", Text, nullable=False),
    Column("session", Text, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("documents", Integer, nullable=False),
    PrimaryKeyConstraint("tenant", "scope_id", name="scope_pk"),
    UniqueConstraint(
        "tenant", "kind", "project", "user_name", "session", name="scope_owner_unique"
    ),
)

# One version of one skill: what ranking, filters and cards read.
entry = Table(
    "entry",
    metadata,
    Column("tenant", Text, nullable=False),
    Column("entry_id", BigInteger, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("qualified_name", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("folded_qualified_name", Text, nullable=False),
    Column("folded_name", Text, nullable=False),
    Column("pack", Text),
    Column("source_path", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("trigger_text", Text, nullable=False),
    Column("tags", Text, nullable=False),
    Column("task_type", Text, nullable=False),
    Column("requirements", Text, nullable=False),
    Column("allowed_tools", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("origin_reference", Text, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("source_sha256", Text, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    PrimaryKeyConstraint("tenant", "entry_id", name="entry_pk"),
    UniqueConstraint("tenant", "scope_id", "qualified_name", name="entry_name_unique"),
    Index("entry_by_folded_qualified_name", "tenant", "scope_id", "folded_qualified_name"),
    Index("entry_by_folded_name", "tenant", "scope_id", "folded_name"),
    Index("entry_by_pack", "tenant", "scope_id", "pack"),
)

# What the rungs read: kept apart so that cards stay small rows.
entry_index = Table(
    "entry_index",
    metadata,
    Column("tenant", Text, nullable=False),
    Column("entry_id", BigInteger, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("card_text", Text, nullable=False),
    Column("profile", LargeBinary, nullable=False),
    PrimaryKeyConstraint("tenant", "entry_id", name="entry_index_pk"),
    Index("entry_index_by_scope", "tenant", "scope_id"),
)

# The rest of a skill as JSON (sections, metadata, …); its source is a blob.
entry_content = Table(
    "entry_content",
    metadata,
    Column("tenant", Text, nullable=False),
    Column("entry_id", BigInteger, nullable=False),
    Column("content", Text, nullable=False),
    PrimaryKeyConstraint("tenant", "entry_id", name="entry_content_pk"),
)

entry_artifact = Table(
    "entry_artifact",
    metadata,
    Column("tenant", Text, nullable=False),
    Column("entry_id", BigInteger, nullable=False),
    Column("path", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("kind", Text, nullable=False),
    PrimaryKeyConstraint("tenant", "entry_id", "path", name="entry_artifact_pk"),
    Index("entry_artifact_by_hash", "tenant", "sha256"),
)

# Source files and artifacts, once per tenant and content.
blob = Table(
    "blob",
    metadata,
    Column("tenant", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
    PrimaryKeyConstraint("tenant", "sha256", name="blob_pk"),
)

# In how many entries of a scope a term occurs, by the term's 64-bit key.
term_frequency = Table(
    "term_frequency",
    metadata,
    Column("tenant", Text, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("term", BigInteger, nullable=False),
    Column("documents", Integer, nullable=False),
    PrimaryKeyConstraint("tenant", "scope_id", "term", name="term_frequency_pk"),
    sqlite_with_rowid=False,
)

# Every accepted write of a skill, oldest first by revision_id.
revision = Table(
    "revision",
    metadata,
    Column("tenant", Text, nullable=False),
    Column("revision_id", BigInteger, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("qualified_name", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("source_sha256", Text, nullable=False),
    Column("origin_reference", Text, nullable=False),
    Column("user_name", Text, nullable=False),
    Column("session", Text, nullable=False),
    Column("at", Float, nullable=False),
    PrimaryKeyConstraint("tenant", "revision_id", name="revision_pk"),
    Index("revision_by_name", "tenant", "scope_id", "qualified_name", "revision_id"),
)

# Versions that are no longer the present one, whole, under the entry id they had.
archived_skill = Table(
    "archived_skill",
    metadata,
    Column("tenant", Text, nullable=False),
    Column("entry_id", BigInteger, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("qualified_name", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("source_sha256", Text, nullable=False),
    Column("snapshot", Text, nullable=False),
    PrimaryKeyConstraint("tenant", "entry_id", name="archived_skill_pk"),
    Index("archived_skill_by_name", "tenant", "scope_id", "qualified_name", "content_hash"),
)

# What a proposal with an idempotency key was answered, so that a retry gets the same.
proposal_key = Table(
    "proposal_key",
    metadata,
    Column("tenant", Text, nullable=False),
    Column("user_name", Text, nullable=False),
    Column("session", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("request_hash", Text, nullable=False),
    Column("change", Text, nullable=False),
    Column("qualified_name", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("at", Float, nullable=False),
    PrimaryKeyConstraint("tenant", "user_name", "session", "key", name="proposal_key_pk"),
)

# Append-only: triggers refuse updates and deletes, and each line carries the hash of the
# one before it in its tenant.
audit = Table(
    "audit",
    metadata,
    Column("tenant", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("user_name", Text, nullable=False),
    Column("session", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Column("at", Float, nullable=False),
    Column("previous_hash", Text, nullable=False),
    Column("hash", Text, nullable=False),
    PrimaryKeyConstraint("tenant", "sequence", name="audit_pk"),
)

# Where each tenant's chain ends, so that a last line that is gone is noticed too.
audit_end = Table(
    "audit_end",
    metadata,
    Column("tenant", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("hash", Text, nullable=False),
)

# Use counts and pins of a name, which outlive its versions.
usage = Table(
    "usage",
    metadata,
    Column("tenant", Text, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("qualified_name", Text, nullable=False),
    Column("uses", BigInteger, nullable=False),
    Column("last_used_at", Float, nullable=False),
    Column("pinned", Integer, nullable=False),
    PrimaryKeyConstraint("tenant", "scope_id", "qualified_name", name="usage_pk"),
)

# The next ids of scopes, entries and revisions, for engines without sequences.
counter = Table(
    "counter",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
)
