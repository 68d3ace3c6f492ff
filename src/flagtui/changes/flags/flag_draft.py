"""A flag being edited: values to change freely, their problems, and the resulting intent."""

from collections.abc import Mapping

from flagtui.changes.canonical_filters import clean_filters
from flagtui.changes.difference import same
from flagtui.changes.draft import Draft, move
from flagtui.changes.editor_text import RecordText
from flagtui.changes.flags.filter_rules import problems_in_fields
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_words import GROUP_TYPE, why_read_only
from flagtui.changes.verbs import verb_for
from flagtui.evaluate import wire
from flagtui.models.filters import Filters, as_index
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict, as_list, as_text
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.safe_text import MASK


def editable(flag: Flag) -> dict[str, JSON]:
    """Return the fields the text shows, to be read: they share their parts with the flag.

    Encrypted payloads are masked; targeting with rules is omitted.
    """
    fields: dict[str, JSON] = {name: flag.raw[name] for name in FLAG_FIELDS.edited if name in flag.raw}
    if not flag.targeting.is_editable:
        fields.pop("filters", None)
    elif "filters" in fields:
        fields["filters"] = wire.stored_filters(flag.filters)
        if flag.has_encrypted_payloads:
            fields["filters"] = wire.mask_payloads(fields["filters"], MASK)
    return fields


def flag_text(flag: Flag) -> RecordText:
    """Return the text that the editor opens."""
    version = "" if flag.version is None else f", version {flag.version}"
    notes = []
    if why := why_read_only(flag.targeting):
        notes.append(f"{why[0].upper()}{why[1:]}.")
    if flag.has_encrypted_payloads:
        notes.append(f"Encrypted payloads are shown as {MASK}; left like that they stay as they are.")
    return RecordText(
        name=flag.key,
        about=f"flag {flag.id}{version}",
        file=f"flag-{flag.id}",
        shown=editable(flag),
        problems=lambda changed: problems_in_fields(changed, flag),
        notes=tuple(notes),
        is_secret=flag.has_encrypted_payloads,
    )


def intent_of(values: Mapping[str, JSON], flag: Flag) -> Intent | None:
    """Return the intent of these values of `editable(flag)`; None when they are unchanged."""
    record = flag_text(flag)
    changes = record.changed_values(values)
    if not changes:
        return None
    seen = {name: record.shown[name] for name in changes}
    if "filters" in changes and flag.has_encrypted_payloads:
        # The real payloads in place of their masks; a newly typed payload stays.
        stored, typed = wire.payloads(flag.filters), wire.payloads(changes["filters"]).items()
        payloads = {key: stored.get(key) if value == MASK else value for key, value in typed}
        changes["filters"] = wire.with_payloads(changes["filters"], payloads)
        seen["filters"] = clean_filters(flag.filters)
    return Intent(flag.id, changes, verb_for(changes), seen=seen, seen_version=flag.version)


class WorkingCopy(Draft):
    """A flag as the person has it now, also unknown keys of targeting."""

    noun = "flag"
    fields = FLAG_FIELDS
    variants_path = ("filters", "multivariate", "variants")

    def __init__(self, flag: Flag, values: Mapping[str, JSON]) -> None:
        super().__init__(values)
        self.flag = flag

    @classmethod
    def of(cls, flag: Flag) -> "WorkingCopy":
        """Return a copy of the editable fields."""
        return cls(flag, editable(flag))

    @classmethod
    def new(cls, fields: Mapping[str, JSON]) -> "WorkingCopy":
        """Return a copy for a new flag."""
        values = {
            name: field.blank
            for name, field in FLAG_FIELDS.items()
            if field.line and not {"title", "for new"} & {*field.traits}
        }
        return cls(Flag.of({"key": as_text(fields.get("key"))}), {**values, **fields})

    @property
    def is_new(self) -> bool:
        return self.flag.id == 0

    @property
    def is_secret(self) -> bool:
        # A new flag, as in a staged set, has it among its values.
        return self.flag.has_encrypted_payloads or self.values.get("has_encrypted_payloads") is True

    def state(self) -> dict[str, JSON]:
        return {**super().state(), "version": self.flag.version}

    def resume(self, state: Mapping[str, JSON]) -> None:
        super().resume(state)
        if not self.is_new:
            seen = {name: self._at_first[name] for name in as_dict(state["seen"]) if name in self._at_first}
            self.flag = Flag.of({**self.flag.raw, **seen, "version": state["version"]})

    @property
    def filters(self) -> dict[str, JSON]:
        """Return the targeting, to be read; empty where it can only be shown."""
        return as_dict(self.values.get("filters"))

    @property
    def why_read_only(self) -> str:
        """The reason why the targeting cannot be edited; empty when it can."""
        return why_read_only(self.flag.targeting)

    @property
    def groups(self) -> list[JSON]:
        """Return the conditions, to be read."""
        return wire.conditions(self.filters)

    def change_group(self, place: int) -> dict[str, JSON]:
        """Return one condition, to be changed."""
        return as_dict(self.change("filters", "groups", place))

    @property
    def variants(self) -> list[JSON]:
        return wire.variants(self.filters)

    @property
    def payloads(self) -> dict[str, JSON]:
        """A copy; `set_payload` changes them."""
        return dict(wire.payloads(self.filters))

    @property
    def cohorts(self) -> set[int]:
        """The numbers of the cohorts its conditions ask for."""
        return set(Filters.of(self.filters).cohorts)

    @property
    def problems(self) -> list[str]:
        if self.is_new:
            return problems_in_fields(self.values)
        changed = {
            name: value for name, value in self.values.items() if not same(value, self._at_first.get(name))
        }
        return problems_in_fields(changed, self.flag)

    def intent(self) -> Intent | None:
        """Return the intent; None when it is unchanged."""
        return intent_of(self.values, self.flag)

    # Conditions

    def add_condition(self) -> int:
        """Append a 0 % condition for everyone and return its index."""
        conditions = [*self.groups, wire.new_condition(0, variant=None)]
        self._change_filters(wire.with_conditions(self.filters, conditions))
        return len(self.groups) - 1

    def remove_condition(self, place: int) -> None:
        del self._change_groups()[place]

    def move_condition(self, place: int, to: int) -> bool:
        """Move a condition; return False at the ends."""
        return move(self._change_groups(), place, to)

    def _change_filters(self, filters: Mapping[str, JSON]) -> None:
        self.change("filters").update(filters)

    def _change_groups(self) -> list[JSON]:
        return as_list(self.change("filters", "groups"))

    def properties(self, place: int) -> list[JSON]:
        """Return the properties of a condition, to be read."""
        return wire.properties(self.groups[place])

    def set_property(self, place: int, within: int | None, item: dict[str, JSON]) -> None:
        """Replace a property of a condition, or add one."""
        group = self.change_group(place)
        if not isinstance(group.get("properties"), list):
            group["properties"] = []
        properties = self.change("filters", "groups", place, "properties")
        if within is None:
            properties.append(item)
        else:
            properties[within] = item

    def remove_property(self, place: int, within: int) -> None:
        del self.change("filters", "groups", place, "properties")[within]

    def group_type(self, place: int) -> int | None:
        """Return the type of group a condition is about; None for people."""
        return as_index(as_dict(self.groups[place]).get(GROUP_TYPE, self.filters.get(GROUP_TYPE)))

    @property
    def group_types(self) -> list[int | None]:
        """The same for each condition, in order."""
        of_flag = as_index(self.filters.get(GROUP_TYPE))
        return [
            as_index(group[GROUP_TYPE]) if isinstance(group, dict) and GROUP_TYPE in group else of_flag
            for group in self.groups
        ]

    def set_group_type(self, kind: int | None, place: int | None = None) -> None:
        """Set the group type of one condition, or of all. Properties of the previous type are removed.

        The group type of the flag is that of its conditions when all agree, as on the server, else unset.
        """
        before = self.group_types
        group_types = [kind if place in (None, each) else was for each, was in enumerate(before)]
        common = group_types[0] if len(set(group_types)) == 1 else None
        common = common if group_types else kind
        for each, (raw, was, now) in enumerate(zip(self.groups, before, group_types, strict=True)):
            group = as_dict(raw)
            if was != now and group.get("properties"):
                self.change_group(each)["properties"] = []
            if GROUP_TYPE in group or now != common:
                self.change_group(each)[GROUP_TYPE] = now
        if as_index(self.filters.get(GROUP_TYPE)) != common:
            self.change("filters")[GROUP_TYPE] = common

    # Variants

    def add_variant(self, key: str) -> None:
        if not self.variants:
            self._drop_payload("true")
        variants = [*self.variants, wire.new_variant(key, 0 if self.variants else 100)]
        self._change_filters(wire.with_variants(self.filters, variants))

    def rename_variant(self, place: int, key: str) -> None:
        """Rename a variant, its payload, and the conditions that force it."""
        old = as_dict(self.variants[place]).get("key")
        super().rename_variant(place, key)
        if old in self.payloads:
            renamed = {key if name == old else name: value for name, value in self.payloads.items()}
            self._change_filters(wire.with_payloads(self.filters, renamed))
        for each, group in enumerate(self.groups):
            if old and as_dict(group).get("variant") == old:
                self.change_group(each)["variant"] = key

    def remove_variant(self, place: int) -> None:
        """Remove a variant and its payload. Without the last one, the flag is on or off."""
        self._drop_payload(as_text(as_dict(self.variants[place]).get("key")))
        del self.change(*self.variants_path)[place]
        if not self.variants:
            self._change_filters(wire.without_variants(self.filters))

    # Payloads

    @property
    def payload_keys(self) -> tuple[str, ...]:
        """The keys that can have a payload: every variant, else `true`."""
        keys = tuple(as_text(as_dict(variant).get("key")) for variant in self.variants)
        return tuple(key for key in keys if key) or ("true",)

    def payload_text(self, key: str) -> str:
        """Return the payload as stored; empty if it is encrypted or missing."""
        payload = self.payloads.get(key)
        return payload if isinstance(payload, str) and payload != MASK else ""

    def set_payload(self, key: str, text: str | None) -> None:
        """Set a payload from JSON text; None removes it."""
        kept = self.payloads
        if text is None:
            kept.pop(key, None)
        else:
            kept[key] = text
        self._change_filters(wire.with_payloads(self.filters, kept))

    def _drop_payload(self, key: str) -> None:
        if key in self.payloads:
            self.set_payload(key, None)
