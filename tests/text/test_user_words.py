"""Changes of users, in short and in a sentence."""

import pytest

from flagtui.models.counted_users import UserChange
from flagtui.text.user_words import user_change_in_short

BOTH = UserChange(1_237, 2_345, 8_246)


@pytest.mark.parametrize(
    ("change", "width", "words"),
    [
        (UserChange(1_237, 0, 8_246, is_bound=True), 7, "≤+1,237"),
        (UserChange(12_345, 0, 90_000), 7, "+12,345"),
        (UserChange(12_345, 0, 90_000, is_bound=True), 7, "≤+13k"),
        (BOTH, 13, "+1,237 -2,345"),
        (BOTH, 7, "+1k-2k"),
        (UserChange(310, 234, 900), 7, "+310…"),
        (UserChange(12_000, 123_000, 900_000, is_bound=True), 7, "≤-123k…"),
        (None, 7, "?"),
    ],
)
def test_short_change_has_room_in_its_column(change: UserChange | None, width: int, words: str) -> None:
    assert user_change_in_short(change, width) == words
    assert len(words) <= width
