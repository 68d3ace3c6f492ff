"""Keys: made, listed and revoked from the command line's side."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.doubles.service_world import KEY, START, starting

from flagtui.service import KeyRefused, NewKey, create_key, list_keys, revoke_key
from flagtui.service.clock import stamp


async def test_a_key_is_shown_once_and_works_until_revoked(tmp_path: Path) -> None:
    async with starting(tmp_path / "x.db") as world:
        secret = create_key(tmp_path / "x.db", NewKey("laptop", ("feature_flag:read",)))
        asking = {"Authorization": f"Bearer {secret}"}
        assert (await world.ask("GET", "", headers=asking)).status_code == 200
        assert (await world.ask("POST", "", {"key": "a"}, headers=asking)).status_code == 403
        line = list_keys(tmp_path / "x.db")[-1]
        expected = ("laptop", ("feature_flag:read",), "owner@localhost.test")
        assert (line.label, line.scopes, line.owner) == expected
        assert line.mask == f"phx_...{secret[-4:]}"
        assert revoke_key(tmp_path / "x.db", "laptop") is True
        assert (await world.ask("GET", "", headers=asking)).status_code == 401
        assert revoke_key(tmp_path / "x.db", "laptop") is False


async def test_last_use_of_a_key_is_stored_to_the_hour(tmp_path: Path) -> None:
    async with starting(tmp_path / "x.db") as world:
        # A write comes after what was queued before it.
        await world.flag("a")
        first = (await world.get("/api/personal_api_keys/@current/"))["last_used_at"]
        assert first == stamp(START + timedelta(seconds=1))
        world.clock.pass_(hours=1)
        await world.flag("b")
        assert list_keys(tmp_path / "x.db")[0].last_used_at > first


async def test_no_secret_is_in_the_file(tmp_path: Path) -> None:
    async with starting(tmp_path / "x.db"):
        secret = create_key(tmp_path / "x.db", NewKey("laptop", ("*",)))
        stored = everything_in(tmp_path)
    assert secret.encode() not in stored
    assert KEY.encode() not in stored
    assert b"laptop" in stored
    assert (b"sha256$" in stored, len(secret) > 40) == (True, True)


def everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def test_meaningless_key_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    async with starting(path):
        create_key(path, NewKey("one", ("*",), secret="phx_chosen"))
        for new_key, words in (
            (NewKey("a", ("flags",)), "is not a scope"),
            (NewKey("a", ("*",), teams=(9,)), "There is no project 9"),
            (NewKey("a", ("*",), owner="nobody@x"), "There is no user nobody@x"),
            (NewKey("a", ("*",), secret="with space"), "visible ASCII"),
            (NewKey("a", ("*",), secret="phx_chosen"), "exists already"),
        ):
            with pytest.raises(KeyRefused, match=words):
                create_key(path, new_key)
        create_key(path, NewKey("one", ("*",)))
        with pytest.raises(KeyRefused, match="2 keys are called 'one'"):
            revoke_key(path, "one")
        assert len(list_keys(path)) == 3
