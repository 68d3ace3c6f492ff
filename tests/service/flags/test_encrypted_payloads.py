"""Encrypted payloads: who reads them, what keeps them, and what happens without their key."""

import stat
from pathlib import Path
from typing import Any

from tests.doubles.service_world import World, released

from flagtui.service.access import hash_key
from flagtui.service.flags.encryption import _fernet, unseal

SECRET = "phs_secret-of-the-project"
PLACEHOLDER = '"********* (encrypted)"'
ENCRYPTED = {"is_remote_configuration": True, "has_encrypted_payloads": True}


async def make_flag(world: World) -> Any:
    return await world.flag("sealed", filters=released(payloads={"true": '"s3cret"'}), **ENCRYPTED)


def key_file_of(world: World) -> Path:
    return world.path.with_name(world.path.name + ".key")


async def test_scenario_51_sealed_payloads_are_opened_for_persons_only(world: World) -> None:
    flag = await make_flag(world)
    assert flag["filters"]["payloads"]["true"] == '"s3cret"'
    assert await world.get("sealed/remote_config/") == '"s3cret"'
    stored = world.rows("SELECT filters FROM flags")[0]["filters"]
    logged = world.rows("SELECT group_concat(detail) AS details FROM activity")[0]["details"]
    assert "s3cret" not in stored + logged
    assert stat.S_IMODE(key_file_of(world).stat().st_mode) == 0o600
    world.write("UPDATE projects SET secret_hash = ?", hash_key(SECRET))
    program = {"Authorization": f"Bearer {SECRET}"}
    url = "/api/projects/@current/feature_flags/sealed/remote_config"
    assert (await world.client.get(url, headers=program)).json() == PLACEHOLDER
    refused = "This action does not support project secret API key access"
    assert (await world.refused("GET", "", headers=program)).detail == refused


async def test_a_sealed_payload_is_kept_by_its_placeholder(world: World) -> None:
    flag = await make_flag(world)
    before = world.rows("SELECT filters FROM flags")
    await world.change(flag, filters={"payloads": {"true": PLACEHOLDER}})
    await world.change(flag, name="n")
    assert world.rows("SELECT filters FROM flags") == before
    await world.change(flag, filters={"payloads": {"true": "2"}})
    assert await world.get("sealed/remote_config/") == "2"
    opened = await world.change(flag, has_encrypted_payloads=False)
    assert opened["filters"]["payloads"] == {"true": "2"}
    stored = world.rows("SELECT filters -> '$.payloads' AS payloads FROM flags")
    assert stored == [{"payloads": '{"true":"2"}'}]


async def test_a_payload_sealed_elsewhere_is_a_named_server_error(world: World) -> None:
    flag = await make_flag(world)
    world.write("UPDATE flags SET filters = json_set(filters, '$.payloads.true', 'gAAAA')")
    path, undecryptable = f"{flag['id']}/remote_config/", "remote_config_decrypt_failed"
    await world.refuses("GET", path, status=500, code=undecryptable)
    shown = await world.read(flag)
    assert shown["filters"]["payloads"]["true"] == PLACEHOLDER
    opened = {"has_encrypted_payloads": False}
    for method, path, body in (("PATCH", f"{flag['id']}/", opened), ("POST", "", {**shown, "key": "copy"})):
        detail = "…is not open here. Send the payload itself."
        await world.refuses(method, path, body, status=400, attr="filters", detail=detail)
    assert "gAAAA" in world.rows("SELECT filters FROM flags")[0]["filters"]


async def test_reading_without_the_key_makes_no_other(world: World) -> None:
    await make_flag(world)
    key = key_file_of(world).read_bytes()
    key_file_of(world).unlink()
    # As a restart does.
    _fernet.cache_clear()
    unseal.cache_clear()
    assert (await world.refused("GET", "sealed/remote_config/")).code == "remote_config_decrypt_failed"
    assert not key_file_of(world).exists()
    key_file_of(world).write_bytes(key)
    assert await world.get("sealed/remote_config/") == '"s3cret"'
