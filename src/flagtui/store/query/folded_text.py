"""Text made comparable, so that case, width and ways to compose an accent do not matter."""

import unicodedata


def fold(text: str) -> str:
    """The form both sides of a comparison are brought into.

    Plain ASCII takes the short way, and text that is folded already is given back as it is, not copied.
    """
    if text.isascii():
        lower = text.lower()
        return text if lower == text else lower
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
