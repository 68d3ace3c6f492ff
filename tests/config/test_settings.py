from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flagtui.config.profiles import CodeSettings, Profile
from flagtui.config.settings import (
    SavedQuery,
    SettingsError,
    documented_settings,
    parse_settings,
    read_settings,
)

WHOLE = """\
# Mine.
default_profile = "prod"
theme = "light"
mouse = false
preview = true
snapshots = false

[profiles.prod]
host = "https://flags.acme.test:8443"
project = 1234
colour = "red"
badge = "LIVE"
guard = "strict"
read_only = true
require_reason = true
refresh = 0
bulk_limit = 5
key_command = "pass show flagtui"
allow_plain_http = true
ca_bundle = "/etc/acme.pem"

[profiles.prod.code]
folder = "~/shop"

[profiles.dev]
code = {folder = "~/api"}

[columns]
flags = ["key", "rollout"]

[keys]
flags.toggle = "t"
"lists.sort" = ["o", "ctrl+o"]

[[queries]]
name = "Stale"
line = "is:stale by:me"

[[queries]]
name = "Stale"
line = "is:stale"
list = "events"
"""


def test_everything_in_the_file_is_understood() -> None:
    settings = parse_settings(WHOLE)
    assert settings.profiles["prod"] == Profile(
        name="prod", host="https://flags.acme.test:8443", project="1234", colour="red", badge="LIVE",
        guard="strict", read_only=True, require_reason=True, refresh=0, bulk_limit=5,
        key_command="pass show flagtui", allow_plain_http=True, ca_bundle="/etc/acme.pem",
        code=CodeSettings(folder="~/shop"),
    )  # fmt: skip
    assert settings.profiles["dev"].code.folder == "~/api"
    assert (settings.default_profile, settings.theme, settings.mouse) == ("prod", "light", False)
    assert (settings.preview, settings.snapshots) == (True, False)
    assert settings.columns == {"flags": ("key", "rollout")}
    assert settings.keys == {"flags.toggle": "t", "lists.sort": "o,ctrl+o"}
    stale = SavedQuery("Stale", "is:stale by:me"), SavedQuery("Stale", "is:stale", "events")
    assert settings.queries == stale


def test_what_is_not_written_has_careful_defaults() -> None:
    settings = parse_settings("")
    assert (settings.profiles, settings.mouse, settings.preview, settings.snapshots) == ({}, True, None, True)
    profiles = parse_settings(WHOLE).profiles
    dev, prod = profiles["dev"], profiles["prod"]
    assert (dev.guard, dev.read_only, dev.allow_plain_http) == ("guarded", False, False)
    assert (dev.project, dev.host) == ("@current", "us")
    assert (dev.word, dev.theme_colour, dev.level) == ("DEV", "primary", "guarded")
    assert (prod.word, prod.theme_colour, prod.level) == ("LIVE", "error", "read_only")


@pytest.mark.parametrize(("toml", "line", "message"), [
    ("theme = 5", 1, "theme: 5 cannot be used; use text on one line"),
    ("\n\nmouse = 'no'", 3, "mouse: 'no' cannot be used; use true or false, without quotes"),
    ("mouse = 1", 1, "use true or false"),
    ("teme = 'x'", 1, "teme: there is no such setting; did you mean theme?"),
    ("zzz = 1", 1, "known here: columns, default_profile, keys"),
    ("guard = 'strict'", 1, "guard: it belongs under [profiles.NAME]"),
    ("[profiles.prod]\ntheme = 'light'", 2, "prod.theme: it belongs above the first table: it is"),
    ("default_profile = 'x'", 1, "there is no profile 'x'; profiles: none is written down yet"),
    ("default_profile = 'x'\n[profiles.prod]", 1, "profiles: prod"),
    ("[profiles.prod]\nguard = 'strickt'", 2, "'strickt' cannot be used; use relaxed, guarded or strict"),
    ("[profiles.prod]\nhots = 'us'", 2, "prod.hots: there is no such setting; did you mean host?"),
    ("[profiles.prod]\n\n# why\nrefresh = -1", 4, "-1 cannot be used; use a whole number from 0"),
    ("[profiles.prod]\nrefresh = true", 2, "use a whole number"),
    ("[profiles.prod]\nrefresh = 1.5", 2, "use a whole number"),
    ("[profiles.prod]\nproject = 'web'", 2, 'use the number of a project, or "@current"'),
    ("[profiles.prod]\nproject = 0", 2, "use the number of a project"),
    ("[profiles.prod]\nproject = '٣'", 2, "use the number of a project"),
    ("[profiles.prod]\ncolour = 'pink'", 2, "use red, yellow, green, blue or purple"),
    ("[profiles.prod]\nhost = ''", 2, "use text on one line"),
    ("[profiles.prod]\nkey_command = []", 2, "use a command that prints the key"),
    ("[profiles.'../x']\n", 1, "a profile's name is letters, digits, - and _"),
    ("[profiles.prod]\n[profiles.prod.code]\nfoldr = 'x'", 3, "code.foldr: there is no such setting"),
    ("[profiles.prod]\n[profiles.prod.code]\nfolder = 1", 3, "code.folder: 1 cannot be used; use text"),
    ("[profiles.prod]\ncode = '~/shop'", 2, "prod.code: has to be a table: [profiles.prod.code]"),
    ("[profiles.prod]\ncoed = {}", 2, "prod.coed: there is no such setting; did you mean code?"),
    ("profiles.prod = 5", 1, "profiles.prod: has to be a table: [profiles.prod]"),
    ("\n[profile.prod]\nhost = 'eu'", 2, "profile: there is no such setting; did you mean profiles"),
    ("\n[[profiles]]\nname = 'a'", 2, "profiles: has to be tables: [profiles.NAME]"),
    ("profiles = 5", 1, "profiles: has to be tables: [profiles.NAME]"),
    ("profiles.prod = {guard = 'x'}", 1, "profiles.prod.guard: 'x' cannot be used"),
    ("[columns]\nflags = 'key'", 2, "columns.flags: 'key' cannot be used; use a list of texts"),
    ("[columns]\nflgs = []", 2, "did you mean flags?"),
    ("columns = 1", 1, "columns: has to be a table"),
    ("[keys]\nflags.toggle = 1", 2, "keys.flags.toggle: 1 cannot be used; use the name of a key"),
    ("keys = 'x'", 1, "keys: has to be a table"),
    ("queries = {}", 1, "queries: has to be tables: [[queries]]"),
    ("[[queries]]\nname = 'a'", 1, "queries.0: line is missing"),
    ("[[queries]]\nname='a'\nline='b'\n[[queries]]\nline = 'c'\nname = 'a'", 6, "'a' is there twice"),
    ("[[queries]]\nname='a'\nline='b'\nlist = 'persons'", 4, "deleted, journal, my_flags, ids or code"),
    ("a = ", 1, "not valid TOML"),
    pytest.param("a = " + "[" * 100_000, 1, "not valid TOML", id="deep"),
    ("a = 1\na = 2", 2, "not valid TOML"),
    ("[profiles.prod]\nhost = 'us", 2, "not valid TOML"),
    ("[profiles.prod]\nproject = ' pha_0123'", 2, "project: a key cannot be used; use the number"),
    ("theme = '\u202e" + "x" * 500 + "'", 1, r"\u202exxx"),
])  # fmt: skip
def test_mistake_is_named_with_file_line_key_and_allowed_values(toml: str, line: int, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_settings(toml, Path("/home/ada/config.toml"))
    assert str(caught.value).startswith(f"/home/ada/config.toml:{line}: ")
    assert message in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_name_the_program_does_not_have_is_pointed_at() -> None:
    settings = parse_settings(WHOLE)
    assert settings.check_theme(("auto", "light")) == "light"
    assert settings.check_columns("flags", ("key", "rollout", "tags")) == ("key", "rollout")
    assert settings.check_columns("events", ()) == ()
    with pytest.raises(SettingsError, match=r"settings:3: theme: there is no theme 'light'; use night"):
        settings.check_theme(("night",))
    no_column = r"settings:29: columns.flags: flags has no column 'rollout'; use key"
    with pytest.raises(SettingsError, match=no_column):
        settings.check_columns("flags", ("key",))


def test_missing_or_unreadable_file_has_defaults_or_a_sentence(tmp_path: Path) -> None:
    assert read_settings(tmp_path / "config.toml").profiles == {}
    assert read_settings(None).profiles == {}
    with pytest.raises(SettingsError, match="cannot be read: File name too long"):
        read_settings(tmp_path / ("x" * 300) / "config.toml")
    with pytest.raises(SettingsError, match="cannot be read: Is a directory"):
        read_settings(tmp_path)
    (tmp_path / "endless.toml").symlink_to("/dev/zero")
    with pytest.raises(SettingsError, match="cannot be read: it has more than 1 MiB"):
        read_settings(tmp_path / "endless.toml")


@pytest.mark.parametrize(("content", "line"), [(b"\xff\xfe", 1), (b"mouse = true\ntheme = '\xe9'", 2)])
def test_file_that_is_not_utf8_is_reported_with_its_line(tmp_path: Path, content: bytes, line: int) -> None:
    (tmp_path / "config.toml").write_bytes(content)
    with pytest.raises(SettingsError, match=rf"config\.toml:{line}: it is not UTF-8; save the file as UTF-8"):
        read_settings(tmp_path / "config.toml")


@settings(deadline=None)
@given(st.text(max_size=60))
def test_no_text_does_more_harm_than_a_settings_error(toml: str) -> None:
    with suppress(SettingsError):
        assert parse_settings(toml).source.file is None


def test_every_setting_is_in_the_documents() -> None:
    document = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()
    for table, fields in documented_settings().items():
        assert not table or table in document
        for name, setting in fields.items():
            assert f"`{name}`" in document
            assert setting.meaning in document
