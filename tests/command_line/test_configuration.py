"""Flags win over variables, variables over the file, and each value says where it is from."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from catalog.errors import IdentityRequired, InvalidConfiguration
from catalog.identity import Role
from catalog.injection.redaction import RedactionPolicy
from server.configuration_sources import resolve
from server.configured import identity_of, server_settings
from server.settings import Limits
from tests.command_line.conftest import Run, write_skill


def sources(run: Run, *arguments: str) -> dict[str, Any]:
    settings = run("config", "--format", "json", *arguments).json["settings"]
    return {setting["name"]: (setting["value"], setting["source"]) for setting in settings}


def test_a_flag_wins_over_a_variable_and_a_variable_over_the_file(
    run: Run, settings_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLCATALOG_USER", "ben")
    monkeypatch.setenv("SKILLCATALOG_SESSION", "s2")
    found = sources(run, "--session", "s3")
    assert found["tenant"] == ("pottery", f"file {settings_file.name}")
    assert found["user"] == ("ben", "variable SKILLCATALOG_USER")
    assert found["session"] == ("s3", "flag --session")
    assert found["project"] == ("", "default")


def test_an_empty_variable_is_a_value_and_no_way_to_the_next_source(
    run: Run, settings_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLCATALOG_TENANT", "")
    outcome = run("list", "--format", "json")
    assert (outcome.code, outcome.error["reason"]) == (3, "IDENTITY_REQUIRED")


def test_the_store_is_in_the_users_data_folder_by_default(run: Run, tmp_path: Path) -> None:
    value, source = sources(run)["store"]
    assert source == "default"
    assert value == f"sqlite:///{tmp_path}/data/skillcatalog/skills.db"
    assert not (tmp_path / "data").exists()


def test_relative_paths_of_a_file_are_relative_to_the_file(
    run: Run, folder: Path, settings_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings_file.write_text('store = "sqlite:///a.db"\njwt_jwks_file = "keys.json"\n')
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    found = sources(run, "--config", str(settings_file))
    assert found["store"][0] == f"sqlite:///{folder}/a.db"
    assert found["jwt_jwks_file"][0] == f"{folder}/keys.json"


def test_a_variable_names_the_file(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "other.toml").write_text('tenant = "glass"\n')
    monkeypatch.setenv("SKILLCATALOG_CONFIG", "other.toml")
    assert sources(run)["tenant"] == ("glass", "file other.toml")


def test_secrets_are_masked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLCATALOG_JWT_SECRET", "plum" * 8)
    urls = (
        "postgresql://app:pear9@db.example.com/app",
        "postgresql://app@db.example.com/app?password=pear9",
    )
    for url in urls:
        for form in ("table", "json"):
            outcome = run("config", "--store", url, "--format", form)
            assert outcome.code == 0
            assert "plum" not in outcome.out
            assert "db.example.com" in outcome.out


def test_a_variable_that_no_setting_has_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLCATALOG_TENNANT", "pottery")
    outcome = run("config", "--format", "json")
    assert outcome.json["unread_variables"] == ["SKILLCATALOG_TENNANT"]
    told = "variable SKILLCATALOG_TENNANT is set and no setting has that name"
    assert json.loads(outcome.err) == {"warning": {"message": told}}


def test_every_command_warns_once_of_a_variable_that_no_setting_has(
    run: Run, settings_file: Path, pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLCATALOG_REDACTON", "always")
    for line in ("import kilns", "search kiln", "list", "config", "doctor"):
        outcome = run(*line.split())
        assert outcome.code == 0
        assert outcome.err.count("warning: variable SKILLCATALOG_REDACTON is set") == 1


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('tennant = "pottery"', "tennant"),
        ("tenant = 7", "tenant"),
        ('tenant = "pottery', "not valid TOML"),
        ('roles = ["potter"]', "roles"),
        ("port = 70000", "port"),
        ('redaction = "never"', "redaction"),
        ('tenant_redaction = { pottery = "never" }', "tenant_redaction"),
        ("threads = 0", "threads"),
    ],
)
def test_a_file_with_a_fault_is_refused_and_the_key_named(
    run: Run, settings_file: Path, text: str, named: str
) -> None:
    settings_file.write_text(text)
    outcome = run("config")
    assert outcome.code == 2
    assert outcome.err.startswith("INVALID_CONFIGURATION: ")
    assert named in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_tenant_may_have_a_redaction_of_its_own(
    run: Run, settings_file: Path, folder: Path
) -> None:
    settings = settings_file.read_text()
    settings_file.write_text(f'{settings}tenant_redaction = {{ weaving = "off" }}\n')
    address = "ann@potters.org"
    for tenant, shown in (("pottery", False), ("weaving", True)):
        write_skill(folder / tenant, "throw", f"Throw a bowl, call {address}.")
        who = ("--tenant", tenant)
        assert run("import", str(folder / tenant), *who).code == 0
        assert (address in run("get", "throw", *who, "--format", "json").out) is shown


def test_redaction_of_tenants_is_a_table_in_the_file_and_pairs_in_a_variable(
    run: Run, settings_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = "acme=off, a=b=on_request"
    policies = {"acme": RedactionPolicy.OFF, "a=b": RedactionPolicy.ON_REQUEST}
    settings_file.write_text('[tenant_redaction]\nacme = "off"\n"a=b" = "on_request"\n')
    assert resolve({}).configuration.tenant_redaction == policies
    settings_file.write_text("")
    monkeypatch.setenv("SKILLCATALOG_TENANT_REDACTION", pairs)
    assert resolve({}).configuration.tenant_redaction == policies
    assert sources(run)["tenant_redaction"][0] == "acme=off, a=b=on_request"


@pytest.mark.parametrize("pairs", ["acme", "=off", "acme=never", "acme=off,acme=always", "acme="])
def test_redaction_of_tenants_that_is_none_is_refused_with_the_words_there_are(
    monkeypatch: pytest.MonkeyPatch, pairs: str
) -> None:
    monkeypatch.setenv("SKILLCATALOG_TENANT_REDACTION", pairs)
    with pytest.raises(InvalidConfiguration) as raised:
        resolve({})
    assert raised.value.metadata["field"] == "tenant_redaction"
    for word in ("SKILLCATALOG_TENANT_REDACTION", *RedactionPolicy):
        assert word in raised.value.message


@pytest.mark.parametrize("model", ["en_core_web_sm", "de:de_core_news_sm"])
@pytest.mark.parametrize(
    "line", ["list", "serve --insecure-identity --port 0", "serve --insecure-identity --workers 2"]
)
def test_nothing_starts_without_what_masks_names_of_persons(
    run: Run, settings_file: Path, monkeypatch: pytest.MonkeyPatch, model: str, line: str
) -> None:
    if find_spec("presidio_analyzer") is not None:
        pytest.skip("the extra is installed")
    monkeypatch.setenv("SKILLCATALOG_REDACTION_PERSON_NAMES", model)
    assert sources(run)["redaction_person_names"] == (
        model,
        "variable SKILLCATALOG_REDACTION_PERSON_NAMES",
    )
    outcome = run(*line.split())
    assert outcome.code == 2
    assert outcome.err.startswith("INVALID_CONFIGURATION: ")
    assert "skillcatalog[ner]" in outcome.err


@pytest.mark.parametrize("model", [":", "en:", "english:model", "a.b", "en:a/b", "-"])
def test_a_model_for_names_of_persons_that_can_be_none_is_refused(model: str) -> None:
    with pytest.raises(InvalidConfiguration, match=r"'redaction_person_names'.* spaCy model"):
        resolve({"redaction_person_names": model})


def test_a_variable_that_should_be_json_and_is_none_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SKILLCATALOG_JWT_CLAIMS", "tenant=org_id")
    with pytest.raises(InvalidConfiguration, match="jwt_claims"):
        resolve({})


def test_a_file_that_is_named_must_be_there() -> None:
    with pytest.raises(InvalidConfiguration, match=r"absent\.toml"):
        resolve({}, Path("absent.toml"))


def test_roles_are_a_list_in_the_file_and_have_commas_elsewhere(settings_file: Path) -> None:
    settings_file.write_text('roles = ["reader", "author"]')
    both = (Role.READER, Role.AUTHOR)
    assert resolve({}).configuration.roles == both
    assert resolve({"roles": "reader, author"}).configuration.roles == both


def test_without_an_identity_the_message_says_how_to_give_one() -> None:
    with pytest.raises(IdentityRequired) as raised:
        identity_of(resolve({"tenant": "pottery"}).configuration)
    for way in ("--user", "SKILLCATALOG_USER", "skillcatalog.toml", "quickstart"):
        assert way in raised.value.message
    assert raised.value.metadata["missing"] == "user, session"


def test_a_server_takes_exactly_one_way_to_know_callers() -> None:
    with pytest.raises(InvalidConfiguration):
        server_settings(resolve({}).configuration)
    with pytest.raises(InvalidConfiguration):
        server_settings(
            resolve({"insecure_identity": True, "jwt_jwks_file": "keys.json"}).configuration
        )
    settings = server_settings(resolve({"insecure_identity": True, "threads": 3}).configuration)
    assert settings.limits.threads == 3


def test_every_limit_of_the_server_is_a_setting_with_the_same_default() -> None:
    assert server_settings(resolve({"insecure_identity": True}).configuration).limits == Limits()


def test_half_of_a_tls_pair_is_refused() -> None:
    flags = {"insecure_identity": True, "tls_key_file": "key.pem"}
    with pytest.raises(InvalidConfiguration, match="tls_certificate_file"):
        server_settings(resolve(flags).configuration)
