"""JSON Schema of flags, for the schema document."""

from typing import Final

from flagtui.service.flags.fields import FLAGS
from flagtui.service.shapes import MAYBE_OBJECT, MAYBE_TEXT, NUMBER, SHARE, page_of, record, whole

FLAG: Final = record(FLAGS.answer_schema(), FLAGS.always())
FLAG_PAGE: Final = page_of(FLAG)
FLAG_BODY: Final = record({**FLAGS.body_schema(), "original_flag": MAYBE_OBJECT})
ONE_SHARE: Final = whole(
    {"condition_index": {**NUMBER, "minimum": 0}, "rollout_percentage": SHARE, "version": NUMBER}
)
TO_EVERYONE: Final = record({"version": NUMBER, "variant_key": MAYBE_TEXT}, ("version",))
