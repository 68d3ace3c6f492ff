"""The wrapping of answers: error bodies in every shape servers and gateways send them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from flagtui.models.json_value import JSON, NotJson, as_dict, as_text, read_json


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """What a refusal says about itself. All text is the server's and unsafe to print as it is."""

    type: str = ""
    code: str = ""
    detail: str = ""
    attr: str | None = None
    """The field, nested names and indexes joined by `__`."""
    raw: Mapping[str, JSON] = field(default_factory=dict)
    is_web_page: bool = False

    @classmethod
    def of(cls, body: bytes) -> "ErrorBody":
        """Reads `{type, code, detail, attr}`, `{detail}`, `{error}`, `{message}`, nothing, and web pages."""
        try:
            value = read_json(body) if body.strip() else None
        except NotJson:
            return cls(detail=_words_of(body), is_web_page=body.lstrip()[:1] == b"<")
        if not isinstance(value, dict):
            return cls(detail=_sentence(value))
        known = (value.get(name) for name in ("detail", "error", "message", "error_message", "reason"))
        return cls(
            type=as_text(value.get("type")),
            code=as_text(value.get("code")),
            detail=next((text for item in known if (text := _sentence(item))), ""),
            attr=as_text(value.get("attr")) or None,
            raw=value,
        )

    @property
    def change_request(self) -> str:
        """Id of the request for approval, where a policy holds the change back."""
        return as_text(self.raw.get("change_request_id")) or as_text(
            as_dict(self.raw.get("change_request")).get("id")
        )


def _sentence(value: JSON) -> str:
    if isinstance(value, list):
        return "; ".join(text for item in value[:5] if (text := _sentence(item)))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_sentence(item)}" for key, item in list(value.items())[:5])
    return as_text(value).strip()


def _words_of(page: bytes) -> str:
    """The title of a web page, or the beginning of plain text."""
    text = page[:4000].decode("utf-8", "replace").strip()
    lowered = text.lower()
    start = lowered.find("<title>")
    if start >= 0:
        end = lowered.find("</title>", start)
        return " ".join(text[start + 7 : end if end > 0 else start + 200].split())
    return "" if text.startswith("<") else " ".join(text[:300].split())
