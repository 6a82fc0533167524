"""The first schema: scopes, entries, blobs, statistics, revisions, audit, usage."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# Ordered by code point on every engine.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "setting",
        sa.Column("name", TEXT, primary_key=True),
        sa.Column("value", TEXT, nullable=False),
    )
    op.create_table(
        "scope",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("project", TEXT, nullable=False),
        sa.Column("user_name", TEXT, nullable=False),
        sa.Column("session", TEXT, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("documents", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "scope_id", name="scope_pk"),
        sa.UniqueConstraint(
            "tenant", "kind", "project", "user_name", "session", name="scope_owner_unique"
        ),
    )
    op.create_table(
        "entry",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("entry_id", sa.BigInteger, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("qualified_name", TEXT, nullable=False),
        sa.Column("name", TEXT, nullable=False),
        sa.Column("folded_qualified_name", TEXT, nullable=False),
        sa.Column("folded_name", TEXT, nullable=False),
        sa.Column("pack", TEXT),
        sa.Column("source_path", TEXT, nullable=False),
        sa.Column("title", TEXT, nullable=False),
        sa.Column("description", TEXT, nullable=False),
        sa.Column("trigger_text", TEXT, nullable=False),
        sa.Column("tags", TEXT, nullable=False),
        sa.Column("task_type", TEXT, nullable=False),
        sa.Column("requirements", TEXT, nullable=False),
        sa.Column("allowed_tools", TEXT, nullable=False),
        sa.Column("origin", TEXT, nullable=False),
        sa.Column("origin_reference", TEXT, nullable=False),
        sa.Column("tokens", sa.Integer, nullable=False),
        sa.Column("content_hash", TEXT, nullable=False),
        sa.Column("source_sha256", TEXT, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "entry_id", name="entry_pk"),
        sa.UniqueConstraint("tenant", "scope_id", "qualified_name", name="entry_name_unique"),
    )
    op.create_index(
        "entry_by_folded_name",
        "entry",
        ["tenant", "scope_id", "folded_name", "content_hash", "qualified_name"],
    )
    op.create_index(
        "entry_by_folded_qualified_name", "entry", ["tenant", "scope_id", "folded_qualified_name"]
    )
    op.create_index("entry_by_pack", "entry", ["tenant", "scope_id", "pack"])
    op.create_table(
        "entry_index",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("entry_id", sa.BigInteger, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("card_text", TEXT, nullable=False),
        sa.Column("profile", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "entry_id", name="entry_index_pk"),
    )
    op.create_index("entry_index_by_scope", "entry_index", ["tenant", "scope_id"])
    op.create_table(
        "entry_content",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("entry_id", sa.BigInteger, nullable=False),
        sa.Column("content", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "entry_id", name="entry_content_pk"),
    )
    op.create_table(
        "entry_artifact",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("entry_id", sa.BigInteger, nullable=False),
        sa.Column("path", TEXT, nullable=False),
        sa.Column("sha256", TEXT, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("media_type", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "entry_id", "path", name="entry_artifact_pk"),
    )
    op.create_index("entry_artifact_by_hash", "entry_artifact", ["tenant", "sha256"])
    op.create_table(
        "blob",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("sha256", TEXT, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "sha256", name="blob_pk"),
    )
    op.create_table(
        "term_frequency",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("term", sa.BigInteger, nullable=False),
        sa.Column("documents", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "scope_id", "term", name="term_frequency_pk"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "revision",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("revision_id", sa.BigInteger, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("qualified_name", TEXT, nullable=False),
        sa.Column("action", TEXT, nullable=False),
        sa.Column("content_hash", TEXT, nullable=False),
        sa.Column("source_sha256", TEXT, nullable=False),
        sa.Column("origin_reference", TEXT, nullable=False),
        sa.Column("user_name", TEXT, nullable=False),
        sa.Column("session", TEXT, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "revision_id", name="revision_pk"),
    )
    op.create_index(
        "revision_by_name", "revision", ["tenant", "scope_id", "qualified_name", "revision_id"]
    )
    op.create_table(
        "archived_skill",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("entry_id", sa.BigInteger, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("qualified_name", TEXT, nullable=False),
        sa.Column("content_hash", TEXT, nullable=False),
        sa.Column("source_sha256", TEXT, nullable=False),
        sa.Column("snapshot", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "entry_id", name="archived_skill_pk"),
    )
    op.create_index(
        "archived_skill_by_name",
        "archived_skill",
        ["tenant", "scope_id", "qualified_name", "content_hash"],
    )
    op.create_table(
        "proposal_key",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("user_name", TEXT, nullable=False),
        sa.Column("session", TEXT, nullable=False),
        sa.Column("key", TEXT, nullable=False),
        sa.Column("request_hash", TEXT, nullable=False),
        sa.Column("change", TEXT, nullable=False),
        sa.Column("qualified_name", TEXT, nullable=False),
        sa.Column("content_hash", TEXT, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "user_name", "session", "key", name="proposal_key_pk"),
    )
    op.create_table(
        "audit",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("user_name", TEXT, nullable=False),
        sa.Column("session", TEXT, nullable=False),
        sa.Column("agent", TEXT, nullable=False),
        sa.Column("action", TEXT, nullable=False),
        sa.Column("outcome", TEXT, nullable=False),
        sa.Column("subject", TEXT, nullable=False),
        sa.Column("content_hash", TEXT, nullable=False),
        sa.Column("reason", TEXT, nullable=False),
        sa.Column("request_id", TEXT, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("previous_hash", TEXT, nullable=False),
        sa.Column("hash", TEXT, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "sequence", name="audit_pk"),
    )
    op.create_table(
        "audit_end",
        sa.Column("tenant", TEXT, primary_key=True),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("hash", TEXT, nullable=False),
    )
    op.create_table(
        "usage",
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("qualified_name", TEXT, nullable=False),
        sa.Column("uses", sa.BigInteger, nullable=False),
        sa.Column("last_used_at", sa.Float, nullable=False),
        sa.Column("pinned", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "scope_id", "qualified_name", name="usage_pk"),
    )
    op.create_table(
        "counter",
        sa.Column("name", TEXT, primary_key=True),
        sa.Column("value", sa.BigInteger, nullable=False),
    )
    op.execute(
        "INSERT INTO counter (name, value) VALUES ('scope', 0), ('entry', 0), ('revision', 0)"
    )
    if op.get_bind().dialect.name == "sqlite":
        for action in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_refuses_{action.lower()} BEFORE {action} ON audit "
                "BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END"
            )


def downgrade() -> None:
    raise RuntimeError("the first schema has nothing before it")
