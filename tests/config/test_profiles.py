from typing import Any

import pytest

from flagtui.config.locations import Given
from flagtui.config.profiles import Profile, ProfileUnknown, choose_profile

PROD = Profile("prod", host="eu", project="12", key_command="pass show flagtui")
DEV = Profile("dev", host="http://127.0.0.1:8010", project="1")
BOTH = {"prod": PROD, "dev": DEV}


@pytest.mark.parametrize(("default", "given_", "named", "expected"), [
    ("prod", Given(), "", "prod"),
    ("prod", Given(profile="dev"), "", "dev"),
    ("prod", Given(profile="prod"), "dev", "dev"),
    ("", Given(), "dev", "dev"),
])  # fmt: skip
def test_option_wins_over_environment_and_file(
    default: str, given_: Given, named: str, expected: str
) -> None:
    assert choose_profile(BOTH, default, given_, named=named).profile.name == expected


def test_environment_alone_makes_a_guarded_profile() -> None:
    chosen = choose_profile({}, "", Given(host="http://127.0.0.1:8010", has_key=True))
    assert (chosen.profile.host, chosen.profile.level) == ("http://127.0.0.1:8010", "guarded")
    assert chosen.overridden == ("FLAGTUI_HOST", "FLAGTUI_API_KEY")
    assert chosen.sources["project"] == "default"
    assert choose_profile({}, "", Given(has_key=True)).sources["host"] == "default"
    assert choose_profile({"prod": PROD}, "", Given()).profile == PROD


def test_what_wins_over_the_profile_is_told() -> None:
    given_ = Given(host="us", project="99", profile="prod", has_key=True)
    chosen = choose_profile(BOTH, "dev", given_)
    assert (chosen.profile.host, chosen.profile.project) == ("us", "99")
    assert chosen.overridden == ("FLAGTUI_HOST", "FLAGTUI_API_KEY", "FLAGTUI_PROJECT", "FLAGTUI_PROFILE")
    variables = {name: f"FLAGTUI_{name.upper()}" for name in ("profile", "host", "project")}
    assert chosen.sources == {**variables, "guard": "no profile is for that host"}
    chosen = choose_profile(BOTH, "", Given(profile="dev", project="99"), named="prod", project="7")
    assert (chosen.overridden, chosen.profile.project) == (("--project",), "7")


def test_profile_key_and_permissions_stay_at_its_own_host() -> None:
    hosts = ("", "eu", "https://evil.test")
    own = [choose_profile(BOTH, "prod", Given(host=host)).has_own_host for host in hosts]
    assert own == [True, True, False]
    permissions: dict[str, Any] = {"allow_plain_http": True, "key_command": "show", "ca_bundle": "/a.pem"}
    mine = Profile("mine", host="http://a.test", **permissions)
    profile = choose_profile({"mine": mine}, "", Given(host="http://b.test", has_key=True)).profile
    assert (profile.allow_plain_http, profile.key_command, profile.ca_bundle) == (False, "", "")


OF_SHOP = {
    "prod": Profile("prod", host="eu", project="12", colour="red", guard="strict", bulk_limit=5),
    "quick": Profile("quick", host="https://shop.test", guard="relaxed", unlock=10),
    "careful": Profile("careful", host="https://shop.test/", require_reason=True, bulk_limit=20),
    "strict": Profile("strict", host="https://strict.test", guard="strict"),
    "both": Profile("both", host="https://strict.test", read_only=True),
    "mirrored": Profile("mirrored", host="https://mirror.test", mirror=True),
    "one": Profile("one", host="https://one.test", guard="relaxed"),
}


@pytest.mark.parametrize(("name", "level", "others"), [
    ("shop.test", "guarded", (True, 20, 0)),
    ("strict.test", "read_only", (False, 100, 0)),
    ("mirror.test", "read_only", (False, 100, 0)),
    ("one.test", "relaxed", (False, 100, 0)),
    ("nobody.test", "guarded", (False, 100, 0)),
])  # fmt: skip
@pytest.mark.parametrize("default", ["prod", ""])
def test_foreign_host_uses_the_strictest_guard_of_its_profiles(
    name: str, level: str, others: tuple[bool, int, int], default: str
) -> None:
    given_ = Given(host=f"https://{name}", has_key=True)
    profile = choose_profile(OF_SHOP, default, given_, origin_of=lambda each: each.rstrip("/")).profile
    assert profile.level == level
    assert (profile.require_reason, profile.bulk_limit, profile.unlock) == others
    assert (profile.word, profile.theme_colour, profile.project) == (name, "neutral", "@current")


def test_the_same_host_written_otherwise_is_the_profiles_own() -> None:
    chosen = choose_profile(OF_SHOP, "prod", Given(host="EU"), origin_of=str.lower)
    mine = chosen.profile
    assert chosen.has_own_host
    assert (mine.word, mine.theme_colour, mine.project) == ("PROD", "error", "12")


@pytest.mark.parametrize(("profiles", "given_", "message"), [
    (BOTH, Given(profile="staging"), r"no profile staging \(FLAGTUI_PROFILE\). Profiles: dev, prod."),
    ({}, Given(profile="x"), "flagtui auth login"),
    (BOTH, Given(profile="dev", project="web"), "'web' is no project; use the number"),
    # Several profiles and none named is a question and not a guess.
    (BOTH, Given(), "--profile"),
])  # fmt: skip
def test_what_cannot_be_opened_says_what_can(profiles: Any, given_: Given, message: str) -> None:
    with pytest.raises(ProfileUnknown, match=message):
        choose_profile(profiles, "", given_)


def test_strict_profile_is_red_unless_a_colour_is_chosen() -> None:
    profiles = Profile("a", guard="strict"), Profile("b", guard="strict", colour="green"), Profile("dev")
    assert [profile.badge_colour for profile in profiles] == ["red", "green", "blue"]
