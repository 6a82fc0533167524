"""The first schema: scopes, entries, blobs, statistics, revisions, audit, usage."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "setting",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "scope",
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("project", sa.Text, nullable=False),
        sa.Column("user_name", sa.Text, nullable=False),
        sa.Column("session", sa.Text, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("documents", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "scope_id", name="scope_pk"),
        sa.UniqueConstraint(
            "tenant", "kind", "project", "user_name", "session", name="scope_owner_unique"
        ),
    )
    op.create_table(
        "entry",
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("entry_id", sa.BigInteger, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("qualified_name", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("folded_qualified_name", sa.Text, nullable=False),
        sa.Column("folded_name", sa.Text, nullable=False),
        sa.Column("pack", sa.Text),
        sa.Column("source_path", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("trigger_text", sa.Text, nullable=False),
        sa.Column("tags", sa.Text, nullable=False),
        sa.Column("task_type", sa.Text, nullable=False),
        sa.Column("requirements", sa.Text, nullable=False),
        sa.Column("allowed_tools", sa.Text, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("origin_reference", sa.Text, nullable=False),
        sa.Column("tokens", sa.Integer, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("source_sha256", sa.Text, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("updated_at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "entry_id", name="entry_pk"),
        sa.UniqueConstraint("tenant", "scope_id", "qualified_name", name="entry_name_unique"),
    )
    op.create_index("entry_by_folded_name", "entry", ["tenant", "scope_id", "folded_name"])
    op.create_index(
        "entry_by_folded_qualified_name", "entry", ["tenant", "scope_id", "folded_qualified_name"]
    )
    op.create_index("entry_by_pack", "entry", ["tenant", "scope_id", "pack"])
    op.create_table(
        "entry_index",
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("entry_id", sa.BigInteger, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("card_text", sa.Text, nullable=False),
        sa.Column("profile", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "entry_id", name="entry_index_pk"),
    )
    op.create_index("entry_index_by_scope", "entry_index", ["tenant", "scope_id"])
    op.create_table(
        "entry_content",
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("entry_id", sa.BigInteger, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "entry_id", name="entry_content_pk"),
    )
    op.create_table(
        "entry_artifact",
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("entry_id", sa.BigInteger, nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("media_type", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "entry_id", "path", name="entry_artifact_pk"),
    )
    op.create_index("entry_artifact_by_hash", "entry_artifact", ["tenant", "sha256"])
    op.create_table(
        "blob",
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "sha256", name="blob_pk"),
    )
    op.create_table(
        "term_frequency",
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("term", sa.BigInteger, nullable=False),
        sa.Column("documents", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "scope_id", "term", name="term_frequency_pk"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "revision",
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("revision_id", sa.BigInteger, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("qualified_name", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("source_sha256", sa.Text, nullable=False),
        sa.Column("origin_reference", sa.Text, nullable=False),
        sa.Column("user_name", sa.Text, nullable=False),
        sa.Column("session", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "revision_id", name="revision_pk"),
    )
    op.create_index(
        "revision_by_name", "revision", ["tenant", "scope_id", "qualified_name", "revision_id"]
    )
    op.create_table(
        "archived_skill",
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("entry_id", sa.BigInteger, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("qualified_name", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("source_sha256", sa.Text, nullable=False),
        sa.Column("snapshot", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "entry_id", name="archived_skill_pk"),
    )
    op.create_index(
        "archived_skill_by_name",
        "archived_skill",
        ["tenant", "scope_id", "qualified_name", "content_hash"],
    )
    op.create_table(
        "proposal_key",
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("user_name", sa.Text, nullable=False),
        sa.Column("session", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("request_hash", sa.Text, nullable=False),
        sa.Column("change", sa.Text, nullable=False),
        sa.Column("qualified_name", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "user_name", "session", "key", name="proposal_key_pk"),
    )
    op.create_table(
        "audit",
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("user_name", sa.Text, nullable=False),
        sa.Column("session", sa.Text, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("previous_hash", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "sequence", name="audit_pk"),
    )
    op.create_table(
        "audit_end",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("sequence", sa.BigInteger, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
    )
    op.create_table(
        "usage",
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("qualified_name", sa.Text, nullable=False),
        sa.Column("uses", sa.BigInteger, nullable=False),
        sa.Column("last_used_at", sa.Float, nullable=False),
        sa.Column("pinned", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("tenant", "scope_id", "qualified_name", name="usage_pk"),
    )
    op.create_table(
        "counter",
        sa.Column("name", sa.Text, primary_key=True),
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
