"""Compute the next time of a recurring change: by interval, or by a cron expression of five fields."""

import calendar
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo

import msgspec

INTERVALS = ("daily", "weekly", "monthly", "yearly")
CRON_FIELDS = 5
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FARTHEST = 366 * 5


class BadCron(ValueError):
    """The expression is not five fields of numbers, names, ranges, steps and lists, or never comes round."""


def next_by_interval(moment: datetime, interval: str) -> datetime:
    if interval == "daily":
        return moment + timedelta(days=1)
    if interval == "weekly":
        return moment + timedelta(weeks=1)
    return _months_later(moment, 1 if interval == "monthly" else 12)


def _months_later(moment: datetime, months: int) -> datetime:
    """Return the same day of a later month, or its last day when it is shorter."""
    number = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(number, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))


def next_by_cron(moment: datetime, expression: str, zone: tzinfo) -> datetime:
    """Return the first whole minute after `moment` that the expression names on clocks of `zone`."""
    minutes, hours, matches_day = read_cron(expression)
    local = moment.astimezone(zone).replace(second=0, microsecond=0)
    for days in range(_FARTHEST):
        day = local + timedelta(days=days)
        if not matches_day(day):
            continue
        for hour in hours:
            for minute in minutes:
                candidate = day.replace(hour=hour, minute=minute).astimezone(moment.tzinfo)
                # Not by the clock of the zone, which shows an hour twice when summer ends.
                if candidate > moment:
                    return candidate
    raise BadCron("It never comes round.")


def read_cron(expression: str) -> tuple[list[int], list[int], Callable[[datetime], bool]]:
    """Return minutes, hours, and whether a day matches. Raises BadCron."""
    fields = expression.split()
    if len(fields) != CRON_FIELDS:
        raise BadCron("A cron expression has five fields.")
    minutes, hours, days, months, weekdays = (
        unit.read(text) for unit, text in zip(_UNITS, fields, strict=True)
    )
    sundays = {day % 7 for day in weekdays}

    def matches_day(day: datetime) -> bool:
        if day.month not in months:
            return False
        on_day, on_weekday = day.day in days, day.isoweekday() % 7 in sundays
        # When both are restricted either is enough, as cron has always had it.
        if fields[2] != "*" and fields[4] != "*":
            return on_day or on_weekday
        return on_day and on_weekday

    return sorted(minutes), sorted(hours), matches_day


class _Unit(msgspec.Struct, frozen=True):
    """The meaning of one field: its limits, and names that stand for numbers from the lowest on."""

    least: int
    most: int
    names: tuple[str, ...] = ()

    def read(self, text: str) -> set[int]:
        values: set[int] = set()
        for part in text.split(","):
            span, slash, step = part.partition("/")
            first, last = self._span(span, is_stepped=bool(slash))
            width = _number(step) if slash else 1
            if width < 1:
                raise BadCron(f"{part} does not advance.")
            values.update(range(first, last + 1, width))
        return values

    def _span(self, text: str, *, is_stepped: bool) -> tuple[int, int]:
        """Return the first and last value; steps from one number go on to the highest."""
        if text == "*":
            return self.least, self.most
        start, dash, end = text.partition("-")
        first = self._value(start)
        last = self._value(end) if dash else self.most if is_stepped else first
        if not self.least <= first <= last <= self.most:
            raise BadCron(f"{text} is not between {self.least} and {self.most}.")
        return first, last

    def _value(self, text: str) -> int:
        name = text.lower()
        return self.names.index(name) + self.least if name in self.names else _number(text)


_UNITS = (_Unit(0, 59), _Unit(0, 23), _Unit(1, 31), _Unit(1, 12, _MONTHS), _Unit(0, 7, _WEEKDAYS))


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise BadCron(f"{text or 'nothing'} is not a number.")
    return int(text)
