"""Where Markdown may be cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from markdown_it import MarkdownIt

from catalog.injection.markdown_structure import (
    closed,
    code_lines,
    cut_points,
    first_paragraph,
    list_items,
    sentence_ends,
)
from tests.injection.written_bodies import markdown_blocks

PARSER = MarkdownIt("commonmark").enable("table")


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        ("One. Two! Three?", ["One.", "One. Two!"]),
        ("See e.g. this. Then that.", ["See e.g. this."]),
        ("Version 3.5 is out. Use it.", ["Version 3.5 is out."]),
        ("窑很热。等一下！好。", ["窑很热。", "窑很热。等一下！"]),
        ("He said (wait. Stop.) now. Go.", ["He said (wait. Stop.) now."]),
        ("A [link. Not here](a.md) ends. Go.", ["A [link. Not here](a.md) ends."]),
        ("Run `a. B` first. Then go.", ["Run `a. B` first."]),
        ("**Bold. Text.** Then go.", ["**Bold. Text.**"]),
        ("No end", []),
        ("Hot.\u0301 Cold. End.", ["Hot.\u0301 Cold."]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(paragraph: str, sentences: list[str]) -> None:
    assert [paragraph[:end] for end in sentence_ends(paragraph)] == sentences


def test_cuts_fall_behind_paragraphs_items_and_blocks_but_never_inside_a_fence() -> None:
    text = "# Kiln\n\nFirst. Second.\n\n- one\n- two\n\n```\na. B\n\nc\n```\n\nEnd.\n"
    assert [text[:end].rsplit("\n", 1)[-1] for end in cut_points(text)] == [
        "First.",
        "First. Second.",
        "- one",
        "- two",
        "```",
        "End.",
    ]


@given(markdown_blocks)
def test_a_cut_leaves_no_fence_open_and_no_grapheme_or_code_span_split(text: str) -> None:
    for point in cut_points(text):
        prefix = text[:point]
        assert closed(prefix) == prefix
        blocks = [token for token in PARSER.parse(prefix) if token.type in ("fence", "inline")]
        whole = [token for token in PARSER.parse(text) if token.type in ("fence", "inline")]
        for ours, theirs in zip(blocks, whole, strict=False):
            assert theirs.content.startswith(ours.content)
            kinds = [[child.type for child in token.children or ()] for token in (ours, theirs)]
            assert kinds[0] == kinds[1][: len(kinds[0])]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a\n```\nb", "a\n```\nb\n```\n"),
        ("~~~~ sh\n~~~\n", "~~~~ sh\n~~~\n~~~~\n"),
        ("```\nb\n```", "```\nb\n```"),
        ("```", "```\n```\n"),
        ("- a\n  ```\n  b\n", "- a\n  ```\n  b\n"),
        ("inline ``` only", "inline ``` only"),
        ("a\n\n<!-- b\n\nc", "a\n\n<!-- b\n\nc\n-->\n"),
        ("<!-- a -->\nb\n", "<!-- a -->\nb\n"),
        ("<PRE>\na\n\nb\n", "<PRE>\na\n\nb\n</pre>\n"),
        ("<pre>a</pre>\n", "<pre>a</pre>\n"),
        ("<![CDATA[\na\n", "<![CDATA[\na\n]]>\n"),
        ("<?php\n\na\n", "<?php\n\na\n?>\n"),
        ("<details>\na\n", "<details>\na\n"),
        ("```\n<!-- a\n```\n", "```\n<!-- a\n```\n"),
        ("a <!-- b\n", "a <!-- b\n"),
    ],
)
def test_an_open_fence_or_comment_is_closed_and_nothing_else_is_touched(
    text: str, wanted: str
) -> None:
    assert closed(text) == wanted
    assert closed(wanted) == wanted


def test_code_lines_are_those_of_fences_and_indented_blocks() -> None:
    text = "a\n\n```sh\nb\n```\n\n    c\n\n- d\n\n  ~~~\n  e\n  ~~~\n"
    assert [(lines.start, lines.stop) for lines in code_lines(text)] == [(2, 5), (6, 7), (10, 13)]


def test_items_are_their_first_paragraphs_with_markers() -> None:
    text = "Intro.\n\n- a\n  more\n\n  ```\n  x\n  ```\n- b\n  - nested\n\n1. c\n"
    assert list_items(text) == ["- a\n  more", "- b"]
    assert list_items(text, ordered_only=True) == ["1. c"]
    assert list_items("No list.") == []


def test_the_first_paragraph_is_the_one_outside_lists() -> None:
    assert first_paragraph("- a\n\n> q\n\nHere. It\nis.\n\nNot.\n") == "Here. It\nis."
