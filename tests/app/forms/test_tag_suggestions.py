"""Tags that a line completes."""

from flagtui.app.forms.completion import complete_tags


async def test_suggested_tags_are_added_by_the_line_that_names_them() -> None:
    tags = [["web", "-1", "a, b"], ["web", "= all"], ["+plus", "two words", "line\none"]]
    suggestions = await complete_tags(tags, "flag").suggest("")
    assert [each.text for each in suggestions.items] == ["web", "two words"]
