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
    UniqueConstraint,
)

from catalog.stores.stored_text import STORED_TEXT

metadata = MetaData()

# What the index in this store was built with, compared on open; the model whose vectors are
# read; the key that seals the tokens of pages.
setting = Table(
    "setting",
    metadata,
    Column("name", STORED_TEXT, primary_key=True),
    Column("value", STORED_TEXT, nullable=False),
)

# `version` grows with every write to the scope; `documents` counts its entries.
scope = Table(
    "scope",
    metadata,
    Column("tenant", STORED_TEXT, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("kind", STORED_TEXT, nullable=False),
    Column("project", STORED_TEXT, nullable=False),
    Column("user_name", STORED_TEXT, nullable=False),
    Column("session", STORED_TEXT, nullable=False),
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
    Column("tenant", STORED_TEXT, nullable=False),
    Column("entry_id", BigInteger, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("qualified_name", STORED_TEXT, nullable=False),
    Column("name", STORED_TEXT, nullable=False),
    Column("folded_qualified_name", STORED_TEXT, nullable=False),
    Column("folded_name", STORED_TEXT, nullable=False),
    Column("pack", STORED_TEXT),
    Column("source_path", STORED_TEXT, nullable=False),
    Column("title", STORED_TEXT, nullable=False),
    Column("description", STORED_TEXT, nullable=False),
    Column("trigger_text", STORED_TEXT, nullable=False),
    Column("tags", STORED_TEXT, nullable=False),
    Column("task_type", STORED_TEXT, nullable=False),
    Column("requirements", STORED_TEXT, nullable=False),
    Column("allowed_tools", STORED_TEXT, nullable=False),
    Column("origin", STORED_TEXT, nullable=False),
    Column("origin_reference", STORED_TEXT, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("content_hash", STORED_TEXT, nullable=False),
    Column("source_sha256", STORED_TEXT, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("updated_at", Float, nullable=False),
    PrimaryKeyConstraint("tenant", "entry_id", name="entry_pk"),
    UniqueConstraint("tenant", "scope_id", "qualified_name", name="entry_name_unique"),
    Index("entry_by_folded_qualified_name", "tenant", "scope_id", "folded_qualified_name"),
    # Also finds, by itself, the copies of a skill that other packs of the scope carry.
    Index(
        "entry_by_folded_name",
        "tenant",
        "scope_id",
        "folded_name",
        "content_hash",
        "qualified_name",
    ),
    Index("entry_by_pack", "tenant", "scope_id", "pack"),
)

# What the rungs read: kept apart so that cards stay small rows.
entry_index = Table(
    "entry_index",
    metadata,
    Column("tenant", STORED_TEXT, nullable=False),
    Column("entry_id", BigInteger, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("card_text", STORED_TEXT, nullable=False),
    Column("profile", LargeBinary, nullable=False),
    PrimaryKeyConstraint("tenant", "entry_id", name="entry_index_pk"),
    Index("entry_index_by_scope", "tenant", "scope_id"),
)

# The rest of a skill as JSON (sections, metadata, …); its source is a blob.
entry_content = Table(
    "entry_content",
    metadata,
    Column("tenant", STORED_TEXT, nullable=False),
    Column("entry_id", BigInteger, nullable=False),
    Column("content", STORED_TEXT, nullable=False),
    PrimaryKeyConstraint("tenant", "entry_id", name="entry_content_pk"),
)

entry_artifact = Table(
    "entry_artifact",
    metadata,
    Column("tenant", STORED_TEXT, nullable=False),
    Column("entry_id", BigInteger, nullable=False),
    Column("path", STORED_TEXT, nullable=False),
    Column("sha256", STORED_TEXT, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("media_type", STORED_TEXT, nullable=False),
    Column("kind", STORED_TEXT, nullable=False),
    PrimaryKeyConstraint("tenant", "entry_id", "path", name="entry_artifact_pk"),
    Index("entry_artifact_by_hash", "tenant", "sha256"),
)

# Source files and artifacts, once per tenant and content.
blob = Table(
    "blob",
    metadata,
    Column("tenant", STORED_TEXT, nullable=False),
    Column("sha256", STORED_TEXT, nullable=False),
    Column("data", LargeBinary, nullable=False),
    PrimaryKeyConstraint("tenant", "sha256", name="blob_pk"),
)

# In how many entries of a scope a term occurs, by the term's 64-bit key.
term_frequency = Table(
    "term_frequency",
    metadata,
    Column("tenant", STORED_TEXT, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("term", BigInteger, nullable=False),
    Column("documents", Integer, nullable=False),
    PrimaryKeyConstraint("tenant", "scope_id", "term", name="term_frequency_pk"),
    sqlite_with_rowid=False,
)

# Every accepted write of a skill. A number counts within its scope and name: it tells nothing
# of what others write.
revision = Table(
    "revision",
    metadata,
    Column("tenant", STORED_TEXT, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("qualified_name", STORED_TEXT, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("action", STORED_TEXT, nullable=False),
    Column("content_hash", STORED_TEXT, nullable=False),
    Column("source_sha256", STORED_TEXT, nullable=False),
    Column("origin_reference", STORED_TEXT, nullable=False),
    Column("user_name", STORED_TEXT, nullable=False),
    Column("session", STORED_TEXT, nullable=False),
    Column("at", Float, nullable=False),
    PrimaryKeyConstraint("tenant", "scope_id", "qualified_name", "number", name="revision_pk"),
)

# Versions that are no longer the present one, whole, under the entry id they had.
archived_skill = Table(
    "archived_skill",
    metadata,
    Column("tenant", STORED_TEXT, nullable=False),
    Column("entry_id", BigInteger, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("qualified_name", STORED_TEXT, nullable=False),
    Column("content_hash", STORED_TEXT, nullable=False),
    Column("source_sha256", STORED_TEXT, nullable=False),
    Column("snapshot", STORED_TEXT, nullable=False),
    PrimaryKeyConstraint("tenant", "entry_id", name="archived_skill_pk"),
    Index("archived_skill_by_name", "tenant", "scope_id", "qualified_name", "content_hash"),
)

# What a proposal with an idempotency key was answered, so that a retry gets the same.
proposal_key = Table(
    "proposal_key",
    metadata,
    Column("tenant", STORED_TEXT, nullable=False),
    Column("user_name", STORED_TEXT, nullable=False),
    Column("session", STORED_TEXT, nullable=False),
    Column("key", STORED_TEXT, nullable=False),
    Column("request_hash", STORED_TEXT, nullable=False),
    Column("change", STORED_TEXT, nullable=False),
    Column("qualified_name", STORED_TEXT, nullable=False),
    Column("content_hash", STORED_TEXT, nullable=False),
    Column("at", Float, nullable=False),
    PrimaryKeyConstraint("tenant", "user_name", "session", "key", name="proposal_key_pk"),
)

# Append-only: triggers refuse updates and deletes, and each line carries the hash of the
# one before it in its tenant.
audit = Table(
    "audit",
    metadata,
    Column("tenant", STORED_TEXT, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("user_name", STORED_TEXT, nullable=False),
    Column("session", STORED_TEXT, nullable=False),
    Column("agent", STORED_TEXT, nullable=False),
    Column("action", STORED_TEXT, nullable=False),
    Column("outcome", STORED_TEXT, nullable=False),
    Column("subject", STORED_TEXT, nullable=False),
    Column("content_hash", STORED_TEXT, nullable=False),
    Column("reason", STORED_TEXT, nullable=False),
    Column("request_id", STORED_TEXT, nullable=False),
    Column("at", Float, nullable=False),
    Column("previous_hash", STORED_TEXT, nullable=False),
    Column("hash", STORED_TEXT, nullable=False),
    PrimaryKeyConstraint("tenant", "sequence", name="audit_pk"),
)

# Where each tenant's chain ends, so that a last line that is gone is noticed too.
audit_end = Table(
    "audit_end",
    metadata,
    Column("tenant", STORED_TEXT, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("hash", STORED_TEXT, nullable=False),
)

# Use counts and pins of a name, which outlive its versions.
usage = Table(
    "usage",
    metadata,
    Column("tenant", STORED_TEXT, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("qualified_name", STORED_TEXT, nullable=False),
    Column("uses", BigInteger, nullable=False),
    Column("last_used_at", Float, nullable=False),
    Column("pinned", Integer, nullable=False),
    PrimaryKeyConstraint("tenant", "scope_id", "qualified_name", name="usage_pk"),
)

# What texts of an entry mean, as vectors of one model each: float32, little-endian.
embedding = Table(
    "embedding",
    metadata,
    Column("tenant", STORED_TEXT, nullable=False),
    Column("scope_id", BigInteger, nullable=False),
    Column("model", STORED_TEXT, nullable=False),
    Column("entry_id", BigInteger, nullable=False),
    Column("chunk", Integer, nullable=False),
    Column("dimension", Integer, nullable=False),
    Column("content_hash", STORED_TEXT, nullable=False),
    Column("vector", LargeBinary, nullable=False),
    PrimaryKeyConstraint("tenant", "scope_id", "model", "entry_id", "chunk", name="embedding_pk"),
    Index("embedding_by_entry", "tenant", "entry_id"),
)

# The next ids of scopes and entries, for engines without sequences.
counter = Table(
    "counter",
    metadata,
    Column("name", STORED_TEXT, primary_key=True),
    Column("value", BigInteger, nullable=False),
)
