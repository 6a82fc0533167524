"""Counting tokens: real tokenizers, offline, one count for packing and reporting."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import InvalidConfiguration
from catalog.injection.tokens import token_counter

COUNTERS = ("o200k_base", "cl100k_base", "chars/4")


@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("o200k_base", "hello world", 2),
        ("cl100k_base", "hello world", 2),
        ("o200k_base", "图" * 400, 400),
        ("cl100k_base", "图" * 400, 400),
        ("o200k_base", "🔥" * 200, 200),
        ("cl100k_base", "🔥" * 200, 600),
        ("chars/4", "hello world", 3),
        ("o200k_base", "<|endoftext|>", 7),
    ],
)
def test_counts_are_those_of_the_named_tokenizer(name: str, text: str, tokens: int) -> None:
    assert token_counter(name).count(text) == tokens


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("text", ["图" * 400, "🔥" * 200, ("}{;=>()" * 58)[:400]])
def test_dense_text_is_not_undercounted_as_a_quarter_of_its_characters(
    name: str, text: str
) -> None:
    assert token_counter(name).count(text) > len(text) / 4


def test_an_unknown_counter_is_refused_by_name() -> None:
    with pytest.raises(InvalidConfiguration, match="'words' is unknown") as caught:
        token_counter("words")
    assert caught.value.metadata["setting"] == "token_counter"


def test_a_fresh_process_counts_without_opening_a_connection() -> None:
    program = (
        "import socket\n"
        "def refuse(*args, **kwargs): raise SystemExit('a connection was tried')\n"
        "socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse\n"
        "from catalog.injection.tokens import token_counter\n"
        "counter = token_counter('o200k_base')\n"
        "print(counter.count('one two three'), counter.count('one two three'))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.split() == ["3", "3"]
    assert run.stderr == ""


def test_counting_reads_no_table_into_python_and_leaves_the_whole_package_usable() -> None:
    program = (
        "import sys\n"
        "from catalog.injection.tokens import token_counter\n"
        "print(token_counter('o200k_base').count('one two three'), 'bpe_openai' in sys.modules)\n"
        "import bpe_openai\n"
        "print(len(bpe_openai.get_encoding('o200k_base').encode('one two three')))\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert run.stdout.split() == ["3", "False", "3"]


@pytest.mark.parametrize("name", COUNTERS)
@given(st.lists(st.text(), min_size=1, max_size=5), st.text(max_size=40), st.sampled_from("<-"))
def test_counters_are_nearly_additive_at_line_ends(
    name: str, lines: list[str], after: str, opening: str
) -> None:
    count = token_counter(name).count
    before, after = "\n".join(lines) + ">\n", opening + after
    assert 0 <= count(before) + count(after) - count(before + after) <= 1


@pytest.mark.parametrize("name", COUNTERS)
@given(st.text(st.characters(codec=None)))
def test_any_text_counts_and_counts_the_same_again(name: str, text: str) -> None:
    counter = token_counter(name)
    first = counter.count(text)
    assert first == counter.count(text)
    assert (first == 0) is (text == "")


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "chars/4"])
@given(lines=st.lists(st.text(max_size=60), max_size=6))
@settings(deadline=None, max_examples=150)
def test_lines_that_begin_with_a_mark_are_counted_as_the_text_that_they_make(
    name: str, lines: list[str]
) -> None:
    counter = token_counter(name)
    marked = [f"- {' '.join(line.split())}\n" for line in lines]
    assert counter.count_lines(marked) == counter.count("".join(marked))
