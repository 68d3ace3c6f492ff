"""The whole flag as JSON, nothing hidden but secrets."""

from collections.abc import Mapping

from flagtui.app.flags.tabs.tab_pane import MASK, Study
from flagtui.app.records.json_pane import JsonPane
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict


class FlagJsonPane(JsonPane):
    """A tab of the flag's page."""

    def show(self, study: Study) -> None:
        """Draw the record of this study."""
        flag = study.details.flag
        self.show_value(None if flag is None else shown_record(flag, study.is_unmasked))


def shown_record(flag: Flag, is_unmasked: bool) -> Mapping[str, JSON]:
    """The record as received, with encrypted payloads masked unless they were asked for."""
    if not flag.has_encrypted_payloads or is_unmasked:
        return flag.raw
    filters = as_dict(flag.raw.get("filters"))
    masked = dict.fromkeys(as_dict(filters.get("payloads")), MASK)
    return {**flag.raw, "filters": {**filters, "payloads": masked}}
