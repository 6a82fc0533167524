"""Words that nothing holds as they are written: other scripts, languages, compounds, plurals."""

from __future__ import annotations

import pytest

from tests.search.conftest import Shelf
from tests.written_skills import written_skill

pytestmark = pytest.mark.full_text


@pytest.fixture
def office(shelf: Shelf) -> Shelf:
    shelf.put(
        written_skill("rechnung-pruefen", "Prüft die Rechnung auf ihre Pflichtangaben und Größe."),
        written_skill("leave", "Schreibt einen Urlaubsantrag für den Chef."),
        written_skill("toplanti", "Toplantı kayıtlarından özet ve görev listesi çıkarır."),
        written_skill("charts", "从表格生成图表，提醒带伞。"),
        written_skill("contracts", "審閱合約條款並標示風險。"),
        written_skill("invoices", "בודק חשבונית ומחשב סכומים"),
        written_skill("logins", "Adds ggplot2 charts and a csv of each LLM."),
    )
    return shelf


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("圖表", "charts"),
        ("傘", "charts"),
        ("合约条款", "contracts"),
        ("检查合约", "contracts"),
    ],
)
def test_traditional_and_simplified_characters_find_each_other(
    office: Shelf, query: str, name: str
) -> None:
    assert office.ask(query).names == [name]


def test_the_script_of_the_query_is_preferred(shelf: Shelf) -> None:
    shelf.put(written_skill("simple", "数据分析"), written_skill("old", "數據分析"))
    assert shelf.ask("數據分析").names == ["old", "simple"]
    assert shelf.ask("数据分析").names == ["simple", "old"]


def test_the_points_of_hebrew_do_not_matter(office: Shelf) -> None:
    assert office.ask("חֶשְׁבּוֹנִית").names == ["invoices"]


def test_a_name_is_found_without_the_number_behind_it(office: Shelf) -> None:
    assert office.ask("ggplot").names == ["logins"]


@pytest.mark.parametrize("query", ["Groesse", "Urlaubsantraege", "toplantıyı", "csvs", "LLMs"])
def test_a_lone_word_is_read_in_the_language_that_knows_it(office: Shelf, query: str) -> None:
    answer = office.ask(query)
    assert len(answer.names) == 1
    assert "language" in answer.rungs[0].passes


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Rechnungsprüfung", "rechnung-pruefen"),
        ("Rechnungspruefung", "rechnung-pruefen"),
        ("Rechnungsbetrag", "rechnung-pruefen"),
    ],
)
def test_a_word_that_nothing_holds_is_found_by_its_parts(
    office: Shelf, query: str, name: str
) -> None:
    answer = office.ask(query)
    assert answer.names == [name]
    assert "parts" in answer.rungs[0].passes


def test_parts_rank_below_what_the_query_says(shelf: Shelf) -> None:
    shelf.put(written_skill("bills", "die Rechnung und der Preis"), written_skill("pots", "clay"))
    answer = shelf.ask("Rechnungsbetrag clay")
    assert answer.names == ["pots", "bills"]
    assert answer.hits[1].matched_terms == ("rechnung",)


@pytest.mark.parametrize("query", ["csvfilething", "pflichtmusik"])
def test_a_beginning_that_is_short_or_no_word_is_no_part(office: Shelf, query: str) -> None:
    assert office.ask(query).names == []
