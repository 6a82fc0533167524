"""What README says to paste works when it is pasted."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
SCRIPT = str(Path(sys.executable).parent / "skillcatalog")


def test_the_client_is_ten_lines_and_gets_skills(folder: Path) -> None:
    (client,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len([line for line in client.splitlines() if line]) <= 11
    subprocess.run([SCRIPT, "quickstart", "--once"], check=True, capture_output=True)
    server = subprocess.Popen(
        [SCRIPT, "serve", "--insecure-identity", "--port", "0", "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout is not None
    try:
        port = json.loads(server.stdout.readline())["port"]
        ran = subprocess.run(
            [sys.executable, "-c", client.replace("50051", str(port))],
            capture_output=True,
            text=True,
            check=True,
        )
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=60)
    assert "starter:multi-step-plan" in ran.stdout
    assert "<skill-" in ran.stdout


def test_the_library_example_of_the_quickstart_finds_and_prints_a_skill(folder: Path) -> None:
    quickstart = (ROOT / "docs" / "quickstart.md").read_text("utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", quickstart, re.DOTALL)
    skill = folder / "skills" / "tidying" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(
        "---\nname: tidying\ndescription: Tidies commits.\nrequired_tools: [Bash]\n---\nSquash.\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert 'name="skills:tidying"' in ran.stdout


def test_each_command_to_paste_is_one_line() -> None:
    lines = [line for line in README.splitlines() if line.startswith("python3 -m venv")]
    assert ["quickstart" in line for line in lines] == [True, False]
    assert ["pytest" in line for line in lines] == [False, True]


def test_every_link_leads_to_a_file() -> None:
    pages = [Path("README.md"), *map(Path, ("docs/quickstart.md", "docs/operations.md"))]
    for page in pages:
        for link in re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text("utf-8")):
            assert (ROOT / page.parent / link).exists(), f"{page}: {link}"
