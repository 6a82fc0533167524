"""The installed script as people run it: its speed, its streams, its server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

SCRIPT = Path(sys.executable).parent / "skillcatalog"


def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(SCRIPT), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def finished(*arguments: str, **environment: str) -> tuple[int, str, str]:
    process = start(*arguments, **environment)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def test_help_imports_nothing_that_only_a_command_needs() -> None:
    code = (
        "import sys; from server.command_line import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'sqlalchemy', 'grpc', 'pydantic', 'alembic', 're2', 'numpy', 'torch'}\n"
        "sys.exit(f'imported {heavy & set(sys.modules)}' if heavy & set(sys.modules) else 0)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    assert "quickstart" in process.stdout


def test_without_an_identity_the_script_says_so_on_one_line() -> None:
    code, out, err = finished("list")
    assert (code, out) == (3, "")
    assert err.startswith("IDENTITY_REQUIRED: ")
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGPIPE and no /dev/full")
@pytest.mark.parametrize("line", ["--help", "config", "config --format json", "search --help"])
def test_a_reader_that_stops_reading_ends_the_process_quietly(line: str) -> None:
    process = start(*line.split())
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 141


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGPIPE and no /dev/full")
@pytest.mark.parametrize("line", ["--help", "config", "config --format json", "--version"])
def test_a_full_disk_is_told_on_one_line(line: str) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [SCRIPT, *line.split()], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.returncode == 8
    assert ended.stderr == (
        "OUTPUT_FAILED: standard output cannot be written: No space left on device\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGPIPE and no /dev/full")
@pytest.mark.parametrize(("closed", "code"), [(">&-", 8), ("2>&-", 0), ("2>/dev/full", 0)])
def test_a_stream_that_is_missing_is_no_crash(closed: str, code: int) -> None:
    ended = subprocess.run(
        f"'{SCRIPT}' config {closed}", shell=True, capture_output=True, text=True, check=False
    )
    assert ended.returncode == code
    assert "Traceback" not in ended.stderr


def test_the_module_and_the_script_tell_the_installed_version() -> None:
    told = f"skillcatalog {version('skillcatalog')}\n"
    assert finished("--version") == (0, told, "")
    module = [sys.executable, "-m", "server.command_line", "--version"]
    assert subprocess.run(module, capture_output=True, text=True, check=True).stdout == told


def test_any_locale_can_print_any_skill(folder: Path) -> None:
    skill = folder / "pack" / "t" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: 图表\ndescription: 生成图表 – café\n---\nBody", "utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    code, out, err = finished("validate", "pack", **plain)
    assert (code, "Traceback" in out + err) == (0, False)
    code, out, _ = finished("validate", "pack", "--format", "json", **plain)
    assert (code, json.loads(out)["found"]) == (0, 1)


def test_arguments_and_files_may_have_any_name_in_any_locale(
    folder: Path, settings_file: Path
) -> None:
    skill = folder / "töpfe" / "krüge" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: krüge\ndescription: Krüge drehen.\n---\nLangsam.", "utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert finished("import", "töpfe", **plain)[0] == 0
    code, out, _ = finished("search", "Krüge drehen", "--format", "json", **plain)
    assert code == 0
    assert json.loads(out)["hits"][0]["card"]["qualified_name"] == "töpfe:krüge"
    assert finished("export", "krüge", **plain)[0] == 0
    assert (folder / "krüge" / "SKILL.md").read_bytes() == skill.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="has arguments of text, not of bytes")
def test_an_argument_that_is_not_utf_8_is_refused_by_its_name(settings_file: Path) -> None:
    for arguments, named in (
        ((b"search", b"caf\xe9"), "query"),
        ((b"search", b"kiln", b"--tag", b"caf\xe9"), "tag"),
        ((b"list", b"--tenant", b"caf\xe9"), "tenant"),
    ):
        ended = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False)
        assert ended.returncode == 2
        assert ended.stderr == (
            f"INVALID_QUERY: argument '{named}' is not UTF-8: it holds the byte 0xe9\n"
        )


def test_quickstart_shows_a_search_and_a_get_and_leaves_a_catalog(folder: Path) -> None:
    code, out, err = finished("quickstart", "--once")
    assert (code, err) == (0, "")
    assert "SkillSearch" in out
    assert "starter:notes-to-action-items" in out
    assert "<skill-" in out
    assert {path.name for path in folder.iterdir()} >= {"skillcatalog.toml", "skillcatalog.db"}
    written = (folder / "skillcatalog.toml").read_text()
    code, out, err = finished("quickstart", "--once")
    assert (code, err) == (0, "")
    assert "0 added" in out
    assert (folder / "skillcatalog.toml").read_text() == written
    code, out, _ = finished("search", "tidy my commits", "--allow-tool", "Bash", "--format", "json")
    assert code == 0
    assert json.loads(out)["hits"][0]["card"]["qualified_name"] == "starter:tidy-git-history"


def test_quickstart_serves_until_it_is_stopped() -> None:
    process = start("quickstart")
    assert process.stdout is not None
    address = ""
    for line in process.stdout:
        if line.startswith("Serving on "):
            address = line.split()[2].rstrip(".")
            break
    assert finished("health", "--address", address)[:2] == (0, "SERVING\n")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0
    assert "Traceback" not in process.communicate()[1]


def test_serve_announces_its_port_drains_on_sigterm_and_is_then_gone(folder: Path) -> None:
    flags = ("--insecure-identity", "--port", "0", "--format", "json", "--log-level", "error")
    process = start("serve", "--store", "sqlite:///served.db", *flags)
    assert process.stdout is not None
    port = json.loads(process.stdout.readline())["port"]
    address = ("--address", f"127.0.0.1:{port}")
    assert finished("health", *address)[0] == 0
    taken = finished("serve", "--store", "memory:", *flags[:1], "--port", str(port))
    assert (taken[0], taken[2].splitlines()[-1].split(":")[0]) == (2, "INVALID_CONFIGURATION")
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 0
    assert finished("health", *address)[0] == 7


def test_serve_takes_no_callers_that_nobody_verifies() -> None:
    code, out, err = finished("serve", "--store", "memory:", "--port", "0")
    assert (code, out) == (2, "")
    assert err.startswith("INVALID_CONFIGURATION: ")


@pytest.mark.skipif(sys.platform == "win32", reason="watches with POSIX signals")
def test_a_watched_pack_is_imported_again_when_it_changes(
    folder: Path, settings_file: Path, pack: Path
) -> None:
    process = start("import", str(pack), "--watch", "--format", "json")
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["packs"][0]["added"] == 3
    time.sleep(0.3)
    skill = pack / "clay-mix" / "SKILL.md"
    skill.write_text(skill.read_text() + "\nWeigh twice.\n")
    assert json.loads(process.stdout.readline())["packs"][0]["updated"] == 1
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0
