"""The columns of the list of flags, and ids that are looked up."""

from msgspec.structs import asdict

from flagtui.app.flags.flag_columns import FLAG_COLUMNS, WORD_FROM, draw_rollout, draw_state_word
from flagtui.app.flags.flag_lookups import MOST, ids_in, read_ids
from flagtui.app.widgets.column_layout import Cell, Slot, lay_out, tags_cell
from flagtui.app.widgets.glyphs import ASCII, UNICODE, glyphs_for
from flagtui.models.rows import FlagRow
from flagtui.text.flag_sentences import plain

NOW = 1_800_000_000.0
SLOT = Slot(12, UNICODE, NOW)
DRAW_STATE = FLAG_COLUMNS[0].draw


def text_of(cell: Cell) -> str:
    return plain([cell])


def test_every_state_has_its_own_glyph_and_word() -> None:
    for flag, glyph, word in (
        (FlagRow(1, "a", active=True), "●", "on"),
        (FlagRow(1, "a", active=False), "○", "off"),
        (FlagRow(1, "a", active=True, status="STALE"), "◌", "stale"),
        (FlagRow(1, "a", active=True, archived=True), "▫", "archived"),
        (FlagRow(1, "a", active=False, deleted=True), "×", "deleted"),
    ):
        assert [text_of(DRAW_STATE(flag, SLOT)), text_of(draw_state_word(flag, SLOT))] == [f"{glyph} ", word]


def test_word_has_room_last_and_tags_give_way_first() -> None:
    def names_shown(width: int) -> list[str]:
        return [placed.column.name for placed in lay_out(FLAG_COLUMNS, width)]

    assert set(names_shown(WORD_FROM)) - set(names_shown(WORD_FROM - 1)) == {"word"}
    assert set(names_shown(WORD_FROM)) == {column.name for column in FLAG_COLUMNS}
    widths = {placed.column.name: placed.width for placed in lay_out(FLAG_COLUMNS, 76)}
    assert widths["key"] >= len("billing-usage-alerts")
    assert widths["tags"] < len("#checkout #web")
    assert len(text_of(tags_cell(FlagRow(1, "a", tags=("tag",) * 1000), SLOT))) < 100


def test_edit_in_flight_is_shown_before_another_users_change() -> None:
    flag = FlagRow(1, "a", active=True)
    both = Slot(2, UNICODE, NOW, pending=True, changed=True)
    assert text_of(DRAW_STATE(flag, both)) == "●↻"
    assert text_of(DRAW_STATE(flag, Slot(2, UNICODE, NOW, changed=True))) == "●•"


def test_bar_is_empty_only_at_0_full_only_at_100() -> None:
    bars = {
        0: "──────   0 %",
        0.4: "━───── 0.4 %",
        12.5: "━──── 12.5 %",
        0.001: "━─── 0.001 %",
        5: "━─────   5 %",
        50: "━━━───  50 %",
        99.6: "━━━━─ 99.6 %",
        99.999: "━━─ >99.99 %",
        100: "━━━━━━ 100 %",
    }
    rows = {share: FlagRow(1, "a", active=True, rollout=share) for share in bars}
    assert {share: text_of(draw_rollout(row, SLOT)) for share, row in rows.items()} == bars
    assert text_of(draw_rollout(FlagRow(1, "a", active=False, rollout=50), SLOT)) == "──────  50 %"
    newer = FlagRow(1, "a", active=True, type="rules", rollout=None)
    assert text_of(draw_rollout(newer, SLOT)) == "           ?"


def test_terminal_without_unicode_gets_one_ascii_character_per_glyph() -> None:
    assert glyphs_for("utf-8") is UNICODE
    assert glyphs_for("ANSI_X3.4-1968") is ASCII
    states = {getattr(ASCII, name) for name in ("on", "off", "stale", "archived", "deleted")}
    assert len(states) == 5
    assert all(len(glyph) == 1 and glyph.isascii() for glyph in asdict(ASCII).values())


def test_pasted_ids_count_once_and_up_to_the_limit() -> None:
    assert ids_in("812, #813\n812 and 0, 99999999999999") == [812, 813]
    line = " ".join(map(str, range(1, MOST + 3)))
    assert plain([read_ids(line).pieces]) == f"{MOST + 2:,} ids; the first {MOST:,} are looked up"
    assert plain([read_ids("1 2").pieces]) == "2 ids"
