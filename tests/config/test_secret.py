import pickle

import pytest

from flagtui.config.credentials import FoundSecret, KeyMalformed, Secret

KEY = "phx_canary_0123456789abcdef"


def test_a_secret_shows_itself_nowhere() -> None:
    secret = Secret(f"  {KEY}\n")
    assert secret.get_secret_value() == KEY
    for shown in (repr(secret), str(secret), f"{secret}", repr(FoundSecret(secret, "file")), secret.mask):
        assert "canary" not in shown
    assert secret.mask == "phx_••••cdef"
    assert [Secret(value).mask for value in ("123", "12345678", "phx_k")] == ["••••", "••••", "phx_••••"]
    assert secret.redact(f"Bearer {KEY}!") == "Bearer ••••!"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    assert not hasattr(secret, "__dict__")


@pytest.mark.parametrize(
    "value", ["", "ab", "two words in it", "line\nbreak\nwithin", "umläute-sind-keine", "x" * 513]
)
def test_what_cannot_be_a_key_is_refused_without_repeating_it(value: str) -> None:
    with pytest.raises(KeyMalformed) as caught:
        Secret(value)
    assert not value or value not in str(caught.value)
