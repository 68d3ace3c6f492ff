"""A believable company to look at: the same for every start, its times relative to now."""

from flagtui.service.sample_data.fill import room_for, sample

__all__ = ["room_for", "sample"]
