"""The fractions that decide rollouts, variants and holdouts: the same on every server and in every client."""

from hashlib import sha1

_SCALE = float(0xFFFFFFFFFFFFFFF)


def rollout_fraction(flag_key: str, identifier: str | int) -> float:
    return _fraction(f"{flag_key}.{identifier}")


def variant_fraction(flag_key: str, identifier: str | int) -> float:
    return _fraction(f"{flag_key}.{identifier}variant")


def holdout_fraction(identifier: str | int) -> float:
    """Independent of the flag, so that everyone held out is held out of every flag with that holdout."""
    return _fraction(f"holdout-{identifier}")


def _fraction(text: str) -> float:
    """From 0 to 1 inclusive: the first 15 hexadecimal digits of the SHA-1 over their greatest value."""
    digest = sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
    return int(digest[:15], 16) / _SCALE
