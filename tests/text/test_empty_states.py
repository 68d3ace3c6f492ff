"""Words shown in place of rows."""

from flagtui.api.errors import NameNotFound
from flagtui.text.empty_states import trouble_words


def test_failed_list_does_not_mention_changes() -> None:
    words = " ".join(trouble_words(NameNotFound("No host is called us.example.")).lines)
    assert "No host is called us.example." in words
    assert "changed" not in words
    assert "F5 retries" in words
