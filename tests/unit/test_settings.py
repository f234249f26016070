"""Settings are validated at start, and every error is named at once [O4]."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from streams.settings import Settings, SettingsError, load_settings


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(f"LINGER_MEMORY_{name.upper()}", raising=False)
    monkeypatch.delenv("LINGER_MEMORY_CONFIG", raising=False)


def _config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Path:
    path = tmp_path / "linger-memory.toml"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("LINGER_MEMORY_CONFIG", str(path))
    return path


@pytest.mark.spec("O4")
def test_every_error_is_named_at_once_with_where_it_was_set_O4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _config(tmp_path, monkeypatch, 'runs_per_cut = 0\nno_such_thing = 1\nlog_level = "debug"\n')
    monkeypatch.setenv("LINGER_MEMORY_PARTITIONS", "many")
    with pytest.raises(SettingsError) as wrong:
        load_settings(idle_after_seconds=-1)
    text = str(wrong.value)
    assert f"runs_per_cut (file {path})" in text
    assert f"no_such_thing (file {path}): there is no such setting" in text
    assert "partitions (environment variable LINGER_MEMORY_PARTITIONS)" in text
    assert "idle_after_seconds (given as an argument)" in text
    assert text.count("\n- ") == 4


@pytest.mark.spec("O4")
def test_a_variable_of_ours_that_is_no_setting_is_named_with_the_one_that_was_meant_O4(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINGER_MEMORY_BROKR_PORT", "1")
    monkeypatch.setenv("LINGER_MEMORY_PARTITIONS", "many")
    for name, value in {
        "TEST_ANYTHING": "1",
        "CI_MARK": "1",
        "EMPTY": "",
        "SERVE_SERVICE_HOST": "10.0.0.1",
        "SERVE_SERVICE_PORT_HTTP": "80",
        "SERVE_PORT": "tcp://10.0.0.1:80",
        "SERVE_PORT_80_TCP_ADDR": "10.0.0.1",
    }.items():
        monkeypatch.setenv(f"LINGER_MEMORY_{name}", value)
    with pytest.raises(SettingsError) as wrong:
        load_settings()
    text = str(wrong.value)
    assert "LINGER_MEMORY_BROKR_PORT): there is no such setting; LINGER_MEMORY_BROKER_PORT is one" in text
    assert "partitions (environment variable LINGER_MEMORY_PARTITIONS)" in text
    assert text.count("\n- ") == 2


@pytest.mark.spec("O4")
def test_an_argument_goes_before_the_environment_and_that_before_the_file_O4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _config(tmp_path, monkeypatch, "partitions = 1\nruns_per_cut = 2\nattempts_max = 3\n")
    monkeypatch.setenv("LINGER_MEMORY_PARTITIONS", "10")
    monkeypatch.setenv("LINGER_MEMORY_RUNS_PER_CUT", "20")
    settings = load_settings(partitions=100)
    assert (settings.partitions, settings.runs_per_cut, settings.attempts_max) == (100, 20, 3)


@pytest.mark.spec("O4")
def test_a_config_file_that_is_missing_or_no_toml_is_a_clear_error_O4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _config(tmp_path, monkeypatch, "partitions = = 1")
    with pytest.raises(SettingsError, match="is no TOML"):
        load_settings()
    path.unlink()
    with pytest.raises(SettingsError, match="can't be read"):
        load_settings()


@pytest.mark.spec("S2")
def test_sasl_without_credentials_is_refused_and_names_each_missing_file_S2(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as wrong:
        load_settings(security_protocol="SASL_SSL", ssl_ca_file=tmp_path / "absent.pem")
    text = str(wrong.value)
    assert "sasl_username_file is needed" in text and "sasl_password_file is needed" in text and "absent.pem" in text


def test_workspaces_lie_in_the_data_directory_unless_set(tmp_path: Path) -> None:
    assert load_settings(data_directory=tmp_path).workspaces_directory == tmp_path / "workspaces"
    assert load_settings(data_directory=tmp_path, workspaces_directory=tmp_path / "w").workspaces_directory == tmp_path / "w"


@pytest.mark.spec("O4")
def test_settings_are_frozen_and_each_has_a_description_O4() -> None:
    with pytest.raises(ValidationError):
        load_settings().partitions = 3  # type: ignore[misc]
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
