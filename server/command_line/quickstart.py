"""`skillcatalog quickstart`: everything once, on this machine, with nothing to set up."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from server.command_line.exit_codes import ExitCode
from server.command_line.invocation import Invocation, command
from server.command_line.output import one_line, print_table, print_text, progress

if TYPE_CHECKING:
    from server.quickstart import FirstAnswers

EXAMPLES = (
    "skillcatalog quickstart",
    "skillcatalog quickstart --folder ./try --once",
)

_LINES_SHOWN = 14

_CLIENT = """\
import grpc
from skillcatalog.v1 import skillcatalog_pb2 as pb, skillcatalog_pb2_grpc as rpc
who = [("x-skillcatalog-tenant", "{tenant}"), ("x-skillcatalog-user", "{user}"),
       ("x-skillcatalog-session", "{session}")]
with grpc.insecure_channel("127.0.0.1:{port}") as channel:
    catalog = rpc.SkillCatalogStub(channel)
    found = catalog.SkillSearch(pb.SkillSearchRequest(query="plan a large task"), metadata=who)
    names = [hit.card.qualified_name for hit in found.hits[:2]]
    got = catalog.SkillGet(pb.SkillGetRequest(names=names, max_tokens=1500), metadata=who)
    print(got.text)"""


@command({})
def quickstart(
    _invocation: Invocation,
    folder: Annotated[
        Path, typer.Option(help="Where skillcatalog.toml and the catalog go.", metavar="FOLDER")
    ] = Path(),
    port: Annotated[int, typer.Option(help="Port to serve on; 0 takes a free one.")] = 0,
    once: Annotated[bool, typer.Option("--once", help="Show the first answers and stop.")] = False,
) -> ExitCode:
    """Set up a local catalog with the starter pack, serve it and show a first answer."""
    from server.configuration import FILE_NAME
    from server.configuration_sources import resolve
    from server.configured import identity_of, open_catalog
    from server.quickstart import import_starter_pack, serve_and_show, write_local_identity

    file = folder / FILE_NAME
    wrote = write_local_identity(folder)
    print_text(f"1. identity: {'wrote' if wrote else 'found'} {file}")
    configuration = resolve({}, file).configuration
    identity = identity_of(configuration)
    catalog = open_catalog(configuration)
    try:
        with progress("importing the starter pack") as advance:
            report = import_starter_pack(catalog, identity, advance)
        (pack,) = report.packs
        print_text(
            f"2. starter pack: {pack.found} skills, {pack.added} added, "
            f"{pack.updated} updated, {pack.unchanged} unchanged"
        )

        def show(answers: FirstAnswers) -> None:
            _print_answers(answers)
            _print_next_steps(folder, file)
            if not once:
                client = _CLIENT.format(
                    tenant=identity.tenant,
                    user=identity.user,
                    session=identity.session,
                    port=answers.port,
                )
                print_text(f"\nFrom Python, while this runs:\n\n{client}\n")
                print_text(f"Serving on 127.0.0.1:{answers.port}. Ctrl-C stops.")
            sys.stdout.flush()

        serve_and_show(catalog, identity, port, show, once)
    finally:
        catalog.close()
    return ExitCode.OK


def _print_answers(answers: FirstAnswers) -> None:
    from server.quickstart import FIRST_BUDGET, FIRST_QUERY

    print_text(f"3. server: 127.0.0.1:{answers.port}, gRPC, local callers only")
    print_text(f'\nSkillSearch "{FIRST_QUERY}"\n')
    print_table(
        ("score", "skill", "description"),
        (
            (f"{hit.score:.3f}", hit.card.qualified_name, hit.card.description)
            for hit in answers.found.hits
        ),
        numbers=("score",),
    )
    lines = answers.got.text.splitlines()
    print_text(
        f"\nSkillGet of the first, at most {FIRST_BUDGET} tokens: {answers.got.tokens} tokens\n"
    )
    for line in lines[:_LINES_SHOWN]:
        print_text(f"  | {line}")
    if len(lines) > _LINES_SHOWN:
        print_text(f"  | … {len(lines) - _LINES_SHOWN} more lines")


def _print_next_steps(folder: Path, file: Path) -> None:
    program = shlex.quote(one_line(sys.argv[0]))
    here = "" if folder == Path() else f" --config {shlex.quote(str(file))}"
    print_text("\nGo on (in another terminal while this serves, or after it):\n")
    for arguments in (
        f"import DIR{here}",
        f'search "what is this skill good for"{here}',
        f"search 'tidy up my commits' --allow-tool Bash{here}",
        f"get notes-to-action-items --max-tokens 500{here}",
        f"list{here}",
        f"serve --insecure-identity{here}",
        "--help",
    ):
        print_text(f"  {program} {arguments}")
