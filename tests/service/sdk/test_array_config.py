"""The settings that the browser library loads."""

from tests.service.evaluation.conftest import Service


async def test_settings_report_flags_and_record_nothing(service: Service, token: str) -> None:
    before = (await service.client.get(f"/array/{token}/config")).json()
    await service.flag("plain")
    after = (await service.client.get(f"/array/{token}/config")).json()
    assert (before["hasFeatureFlags"], after["hasFeatureFlags"]) == (False, True)
    assert after["token"] == token
    assert (after["sessionRecording"], after["surveys"], after["heatmaps"]) == (False, False, False)


async def test_settings_are_served_as_a_script_too(service: Service, token: str) -> None:
    response = await service.client.get(f"/array/{token}/config.js")
    assert response.headers["content-type"] == "application/javascript; charset=utf-8"
    assert f'c["{token}"]=' in response.text
    assert '"hasFeatureFlags":false' in response.text


async def test_unknown_token_is_refused(service: Service) -> None:
    for name in ("config", "config.js"):
        assert (await service.client.get(f"/array/phc_unknown/{name}")).status_code == 401
