"""The settings that the browser library loads before anything else: flags, and nothing that records."""

from typing import Final

from flagtui.service.errors import Json
from flagtui.service.responses import Response, respond, text_of
from flagtui.service.sdk.sdk_call import SdkCall

_SETTINGS: Final[dict[str, Json]] = {
    "supportedCompression": ["gzip", "gzip-js"],
    "autocapture_opt_out": True,
    "autocaptureExceptions": False,
    "captureDeadClicks": False,
    "capturePerformance": False,
    "defaultIdentifiedOnly": True,
    "elementsChainAsString": True,
    "heatmaps": False,
    "isAuthenticated": False,
    "productTours": False,
    "sessionRecording": False,
    "siteApps": [],
    "surveys": False,
    "toolbarParams": {},
}


def remote_settings() -> dict[str, Json]:
    """Return the settings that older addresses send together with the flags."""
    return dict(_SETTINGS)


def config(call: SdkCall) -> Response:
    """Respond with the settings of a project."""
    call.source.admit(call.params["token"])
    return respond(_document(call))


def config_script(call: SdkCall) -> Response:
    """Respond with the settings as a script that stores them where the browser library looks."""
    token = call.params["token"]
    call.source.admit(token)
    settings = text_of({"config": _document(call), "siteApps": []})
    # In a script, these two characters would end a line and a tag.
    script = (
        (
            "(function(){var c=window._POSTHOG_REMOTE_CONFIG=window._POSTHOG_REMOTE_CONFIG||{};"
            f"c[{text_of(token)}]={settings};}})();"
        )
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
        .replace("</", "<\\/")
    )
    return Response(script.encode(), headers={"Content-Type": "application/javascript; charset=utf-8"})


def _document(call: SdkCall) -> dict[str, Json]:
    has_flags = bool(call.source.flag_set().records)
    return {"token": call.params["token"], "hasFeatureFlags": has_flags, **_SETTINGS}
