"""No bytes crash the reading, no body loses a character, and two readers agree."""

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from importer import yaml_nodes
from importer.declared_list import declared_names, declared_tags
from importer.fences import split_frontmatter
from importer.frontmatter import read_frontmatter
from importer.headings import parsed_headings, scanned_headings
from importer.sections import split_sections
from importer.skill_file import read_name, read_skill

LINES = st.sampled_from(
    [
        "---", "--- ", "name: kiln", "description: a: b", "description: >", "  folded text",
        "allowed-tools: [Read, Bash(a, b)", "tags:", "- a", "  - @b", "x: &a [1]", "y: *a",
        '{"name": "x"}', "}", "<!-- note -->", "", " ", "\t- tab", "# Heading", "Heading", "===",
        "----", "```", "~~~ sh", "  ```", "   # indented", "- ```", "> quote", "<div>", "<!--",
        "-->", "1. ## in a list", "    code", "## Steps ##", "#", "\u200b\u200b", "name：宽",
        "<pre>", "</pre>", "text", "`` ` ``", "* * *", "<<<<<<< ours",
    ]
)  # fmt: skip
DOCUMENTS = st.builds(
    lambda lines, end, tail: end.join([*lines, ""]) + tail,
    st.lists(LINES, max_size=14),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "tail"]),
)


@given(st.one_of(st.binary(max_size=200), DOCUMENTS.map(str.encode)))
@settings(max_examples=300)
def test_any_bytes_give_a_skill_or_a_reason(source: bytes) -> None:
    read = read_skill(source, "kiln/SKILL.md")

    if read.skill is None:
        assert read.diagnostics
    else:
        assert read.skill.source == source
        assert read.skill.name == read_name(source, "kiln/SKILL.md")
        assert read.skill.description
        assert "\n" not in read.skill.description


@given(DOCUMENTS)
@settings(max_examples=300)
def test_a_body_is_the_end_of_its_file(text: str) -> None:
    split = split_frontmatter(text)

    assert text[split.body_start :] == split.body
    assert split.header in text


@given(st.one_of(st.text(max_size=100), DOCUMENTS))
@settings(max_examples=300)
def test_sections_join_to_their_body_and_have_ids_of_their_own(body: str) -> None:
    sections = split_sections(body)

    assert "".join(section.markdown for section in sections) == body
    assert len({section.id for section in sections}) == len(sections)


@given(DOCUMENTS)
@settings(max_examples=1000)
def test_where_the_scan_finds_headings_the_markdown_parser_finds_the_same(body: str) -> None:
    scanned = scanned_headings(body)

    assert scanned is None or scanned == parsed_headings(body)


@given(st.one_of(st.text(max_size=60), DOCUMENTS))
@settings(max_examples=300)
def test_a_field_is_read_alike_with_and_without_the_c_library(header: str) -> None:
    with_c = read_frontmatter(header, 1, "SKILL.md")
    loader = yaml_nodes._Loader
    yaml_nodes._Loader = yaml.SafeLoader
    try:
        without_c = read_frontmatter(header, 1, "SKILL.md")
    finally:
        yaml_nodes._Loader = loader

    assert {key: field.value for key, field in with_c.fields.items()}.keys() == (
        without_c.fields.keys()
    )
    for key, field in with_c.fields.items():
        assert declared_names(field) == declared_names(without_c.fields[key])
        assert declared_tags(field) == declared_tags(without_c.fields[key])
        assert getattr(field.value, "text", None) == getattr(
            without_c.fields[key].value, "text", None
        )
