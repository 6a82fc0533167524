"""Plain words find what holds them, ranked by how well it answers."""

from __future__ import annotations

import pytest

from catalog.card import Entry
from catalog.errors import InvalidQuery
from catalog.scope import ScopeKind
from catalog.search import candidates
from catalog.search.request import Rung
from tests.search.conftest import Shelf
from tests.written_skills import identity, written_skill

pytestmark = pytest.mark.full_text


def test_a_plain_sentence_finds_what_holds_some_of_its_words(shelf: Shelf) -> None:
    shelf.put(written_skill("release-notes", "tells in release notes what we deploy"))
    shelf.put(written_skill("glazes", "mixes glazes"))
    answer = shelf.ask("how would somebody best write up the release for customers tomorrow")
    assert answer.names[0] == "release-notes"
    assert answer.rungs[0].passes == ("any_token",)


@pytest.mark.parametrize("query", ["deploys", "deploying", "deployment", "DEPLOYED"])
def test_inflected_words_find_each_other(shelf: Shelf, query: str) -> None:
    shelf.put(written_skill("release-notes", body="# Notes\n\ntold once we deploy\n"))
    assert shelf.ask(query).names == ["release-notes"]


def test_the_exact_form_outranks_its_stem(shelf: Shelf) -> None:
    shelf.put(
        written_skill("alpha", "covers firing of pots"), written_skill("beta", "covers fired pots")
    )
    assert shelf.ask("firing").names == ["alpha", "beta"]
    assert shelf.ask("fired").names == ["beta", "alpha"]


def test_a_german_plural_finds_its_singular(shelf: Shelf) -> None:
    shelf.put(written_skill("ofen", "Die Bücher über den Ofen und das Haus"))
    assert shelf.ask("Buch über das Haus").names == ["ofen"]
    assert shelf.ask("Bücher").names == ["ofen"]


@pytest.mark.parametrize("query", ["图表", "导出", "生成图表", "图", "kiln", "归档"])
def test_chinese_words_of_any_length_are_found(shelf: Shelf, query: str) -> None:
    shelf.put(written_skill("one", body="# x\n\n从表格生成图表并导出图片，先跑kiln-log再归档\n"))
    assert shelf.ask(query).names == ["one"]


def test_more_occurrences_score_higher_and_all_differ(shelf: Shelf) -> None:
    for name, times in (("one", 1), ("two", 2), ("five", 5)):
        words = ["glaze"] * times + ["clay"] * (12 - times)
        shelf.put(written_skill(name, "About pots.", body=" ".join(words)))
    answer = shelf.ask("glaze")
    assert answer.names == ["five", "two", "one"]
    assert len(set(answer.scores)) == 3
    assert all(0 < score <= 1 for score in answer.scores)
    assert shelf.ask("glaze", min_score=answer.scores[0] - 1e-6).names == ["five"]


def test_in_a_catalog_of_one_a_word_still_has_a_score(shelf: Shelf) -> None:
    shelf.put(written_skill("one", "glaze"))
    assert 0 < shelf.ask("glaze").scores[0] <= 1


def test_short_words_count_beside_long_ones(shelf: Shelf) -> None:
    shelf.put(
        written_skill("first", "kiln schedule go", body="x"),
        written_skill("second", "kiln schedule", body="x"),
    )
    assert shelf.ask("go").names == ["first"]
    assert shelf.ask("kiln go").names == ["first"]


def test_fifty_refused_skills_never_hide_the_one_allowed(shelf: Shelf) -> None:
    for number in range(400):
        shelf.put(written_skill(f"kiln-{number}", "kiln kiln kiln"))
    shelf.put(written_skill("plain", body="# x\n\nthe kiln is mentioned once among many words\n"))

    def admits(entry: Entry) -> bool:
        return entry.card.name == "plain"

    assert shelf.ask("kiln", admits, limit=1).names == ["plain"]
    assert shelf.ask("how would I ever fire a kiln", admits, limit=1).names == ["plain"]


def test_a_rare_word_is_not_crowded_out_by_a_frequent_form_of_another(shelf: Shelf) -> None:
    # In Dutch `timing` has another stem than in English, and hundreds hold the English one.
    shelf.put(*(written_skill(f"clock-{number}", "keeps the time") for number in range(400)))
    shelf.put(written_skill("subtitles", "Controleert ondertitels van een film"))
    answer = shelf.ask("Controleer de timing van deze ondertitels en de lengte van het geheel")
    assert answer.names[0] == "subtitles"


def test_an_english_word_in_a_sentence_of_another_language_counts(shelf: Shelf) -> None:
    shelf.put(
        written_skill("clock", "measures the timing of a race"), written_skill("bench", "Pots")
    )
    answer = shelf.ask("Wie ist das timing für den Ofen und die Uhr")
    assert answer.names == ["clock"]
    assert answer.hits[0].matched_terms == ("timing",)


def test_words_that_are_each_too_frequent_make_candidates_together(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "LEAST_BUDGET", 6)
    words = ("clay", "kiln", "glaze", "wheel")
    shelf.put(
        *(
            written_skill(f"pot-{number}", f"about {words[number % 4]}", body="# x\n\nx\n")
            for number in range(1_100)
        )
    )
    shelf.put(written_skill("all-in-one", "of clay, kiln, glaze and wheel", body="# x\n\nx\n"))
    answer = shelf.ask("which clay goes in the kiln with glaze from the wheel", limit=3)
    assert answer.names[0] == "all-in-one"


def test_another_tenant_changes_nothing(shelf: Shelf) -> None:
    shelf.put(written_skill("mine", "fires the kiln"), written_skill("mine-too", "kiln log"))
    before = shelf.ask("kiln")
    for number in range(30):
        shelf.put(written_skill(f"theirs-{number}", "kiln"), who=identity("globex"))
    assert shelf.ask("kiln") == before


def test_a_hidden_skill_never_shows(shelf: Shelf) -> None:
    shelf.put(written_skill("kiln", "the wide one about pots"))
    shelf.put(written_skill("kiln", "the narrow one about pots"), kind=ScopeKind.USER)
    assert shelf.ask("kiln").names == ["kiln"]
    assert shelf.ask("wide").names == []


def test_deleted_skills_are_not_found_and_edits_are(shelf: Shelf) -> None:
    (first,) = shelf.put(written_skill("a", "cobalt"))
    assert shelf.ask("cobalt").names == ["a"]
    shelf.put(written_skill("a", "iron"))
    assert shelf.ask("cobalt").names == []
    assert shelf.ask("iron").names == ["a"]
    (last,) = shelf.put(written_skill("a", "iron again"))
    shelf.remove(last)
    assert shelf.ask("iron").names == []
    assert first != last


def test_equal_scores_rank_by_scope_then_name(shelf: Shelf) -> None:
    body = "# x\n\nsame words here\n"
    shelf.put(written_skill("bb", "d", body), written_skill("aa", "d", body))
    shelf.put(written_skill("cc", "d", body), kind=ScopeKind.USER)
    assert shelf.ask("same words").names == ["cc", "aa", "bb"]


def test_a_description_that_says_not_to_use_it_for_that_ranks_below(shelf: Shelf) -> None:
    shelf.put(
        written_skill("pots", "Shapes clay. Do not use for glazing."),
        written_skill("coats", "Shapes clay. Use when glazing."),
    )
    assert shelf.ask("glazing clay").names[0] == "coats"


def test_hits_say_which_words_and_fields_matched(shelf: Shelf) -> None:
    shelf.put(written_skill("kiln-log", "Keeps a log of firings.", tags=("pottery",)))
    hit = shelf.ask("log pottery firings").hits[0]
    assert hit.rung is Rung.FULL_TEXT
    assert set(hit.matched_terms) == {"log", "pottery", "firings"}
    assert {"name", "description", "tags"} <= set(hit.matched_fields)


def test_a_word_at_the_end_of_a_very_long_body_is_found(shelf: Shelf) -> None:
    many = " ".join(f"word{number}" for number in range(3_000))
    shelf.put(written_skill("long", body=f"# x\n\n{many} zirconium\n"))
    assert shelf.ask("zirconium").names == ["long"]


@pytest.mark.parametrize("query", ["", "  ", "\t\n", "?!", '"', "***", "_", "%", "🔥", "​"])
def test_a_query_without_a_letter_or_digit_is_refused(shelf: Shelf, query: str) -> None:
    with pytest.raises(InvalidQuery):
        shelf.ask(query)


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("a" * 8_193, {}),
        ("kiln", {"limit": 0}),
        ("kiln", {"limit": 101}),
        ("kiln", {"min_score": 1.1}),
        ("kiln", {"min_score": -0.1}),
        ("kiln", {"min_score": float("nan")}),
    ],
)
def test_what_is_out_of_range_is_refused(shelf: Shelf, query: str, asked: dict[str, float]) -> None:
    with pytest.raises(InvalidQuery):
        shelf.ask(query, **asked)
