"""Profiles, projects, the journal and what the doctor found, as they are printed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from flagtui.cli.output.record_kind import RecordField, RecordKind
from flagtui.cli.records.field_words import age_words, stamped, star

if TYPE_CHECKING:
    from flagtui.changes.journal_entries import Entry
    from flagtui.cli.profile_choice import Opening
    from flagtui.config.credentials import FoundSecret
    from flagtui.config.findings import Finding
    from flagtui.config.profiles import Profile
    from flagtui.models.account import Project
    from flagtui.service import KeyLine
    from flagtui.store.key_info import Introduction


def _or_all(ids: list[str]) -> str:
    return ",".join(ids) or "all"


@dataclass(frozen=True)
class ListedProfile:
    """A profile, and whether it is opened when none is named."""

    profile: "Profile"
    is_default: bool


@dataclass(frozen=True)
class ListedProject:
    """A project, and whether the profile opens it."""

    project: "Project"
    organization: str
    is_opened: bool


@dataclass(frozen=True)
class SignedIn:
    """Which key is used where, and what the server says of it."""

    opening: "Opening"
    found: "FoundSecret"
    introduction: "Introduction"

    def scopes(self, *, works: bool) -> list[str]:
        """Those of abilities that the key has, or lacks."""
        from flagtui.store.key_info import abilities

        return [one.scope for one in abilities(self.introduction.key) if one.works is works]


PROFILE: Final[RecordKind[ListedProfile]] = RecordKind(
    "profile",
    "A profile of the settings file.",
    (
        RecordField(
            "default",
            "truth",
            "Whether it is opened when none is named.",
            lambda one: one.is_default,
            True,
            star,
        ),
        RecordField("name", "text", "What --profile takes.", lambda one: one.profile.name, True),
        RecordField("host", "text", "us, eu, or an address.", lambda one: one.profile.host, True),
        RecordField("project", "text", "A number, or @current.", lambda one: one.profile.project, True),
        RecordField("guard", "text", "How careful it is.", lambda one: one.profile.level, True),
        RecordField("colour", "text", "Of its badge.", lambda one: one.profile.colour, True),
        RecordField(
            "read_only", "truth", "Whether it refuses every change.", lambda one: one.profile.read_only
        ),
        RecordField(
            "require_reason",
            "truth",
            "Whether a change needs a reason.",
            lambda one: one.profile.require_reason,
        ),
        RecordField(
            "refresh", "number?", "Seconds between looks at the server.", lambda one: one.profile.refresh
        ),
    ),
)

PROJECT: Final[RecordKind[ListedProject]] = RecordKind(
    "project",
    "A project the key can open.",
    (
        RecordField(
            "opened", "truth", "Whether the profile opens it.", lambda one: one.is_opened, True, star
        ),
        RecordField("id", "whole", "Its number.", lambda one: one.project.id, True),
        RecordField("name", "text", "Its name.", lambda one: one.project.name, True),
        RecordField("organization", "text", "Whose it is.", lambda one: one.organization, True),
    ),
)

SIGN_IN: Final[RecordKind[SignedIn]] = RecordKind(
    "sign-in",
    "Who is signed in where.",
    (
        RecordField("profile", "text", "The profile.", lambda one: one.opening.profile.name, True),
        RecordField("host", "text", "The server.", lambda one: one.opening.host.origin, True),
        RecordField("guard", "text", "How careful it is.", lambda one: one.opening.profile.level, True),
        RecordField("key", "text", "The key, masked.", lambda one: one.found.key.mask, True),
        RecordField("key_from", "text", "Where it was found.", lambda one: one.found.source, True),
        RecordField("person", "text", "Whose key it is.", lambda one: one.introduction.person, True),
        RecordField("may", "texts", "Scopes it has.", lambda one: one.scopes(works=True)),
        RecordField("lacks", "texts", "Scopes it lacks.", lambda one: one.scopes(works=False)),
    ),
)

SERVICE_KEY: Final["RecordKind[KeyLine]"] = RecordKind(
    "service-key",
    "A key of an embedded service.",
    (
        RecordField("id", "text", "What keys revoke takes.", lambda one: one.id, True),
        RecordField("mask", "text", "Its beginning and end.", lambda one: one.mask, True),
        RecordField("scopes", "texts", "What it may do; * is everything.", lambda one: [*one.scopes], True),
        RecordField(
            "projects", "texts", "Ids; none means all.", lambda one: list(map(str, one.teams)), True, _or_all
        ),
        RecordField("owner", "text", "Whose it is.", lambda one: one.owner, True),
        RecordField("label", "text", "What it is for.", lambda one: one.label, True),
        RecordField("created_at", "time?", "When it was made.", lambda one: one.created_at),
        RecordField(
            "last_used_at", "time?", "When it was used.", lambda one: one.last_used_at, True, age_words
        ),
    ),
)

FINDING: Final["RecordKind[Finding]"] = RecordKind(
    "finding",
    "Something the doctor found.",
    (
        RecordField("about", "text", "What it is about.", lambda one: one.about, True),
        RecordField("value", "text", "What was found.", lambda one: one.value, True),
        RecordField("state", "text", "fine, note or wrong.", lambda one: one.state, True),
        RecordField("next", "text", "What to do about it.", lambda one: one.next, True),
    ),
)

ENTRY: Final["RecordKind[Entry]"] = RecordKind(
    "journal-entry",
    "A change of yours, from the journal of this machine.",
    (
        RecordField("id", "text", "What flagtui undo takes.", lambda one: one.id, True),
        RecordField("at", "time?", "When it began.", lambda one: stamped(one.at), True),
        RecordField("profile", "text", "In which profile.", lambda one: one.signature.profile, True),
        RecordField("record_kind", "text", "flag, experiment, event_definition, …", lambda one: one.kind),
        RecordField("record", "text", "Id of the record.", lambda one: one.uuid or str(one.record)),
        RecordField("key", "text", "What the record was called.", lambda one: one.key, True),
        RecordField("verb", "text", "What was done.", lambda one: one.verb, True),
        RecordField(
            "ending",
            "text",
            "saved, refused, …; open while it is not known.",
            lambda one: one.ending or "open",
            True,
        ),
        RecordField("words", "texts", "The differences.", lambda one: list(one.words)),
        RecordField("before", "object", "The changed fields before.", lambda one: dict(one.before)),
        RecordField("after", "object", "The changed fields after.", lambda one: dict(one.after)),
        RecordField("reason", "text", "Why, as it was given.", lambda one: one.reason),
        RecordField("by", "text", "Who the key belongs to.", lambda one: one.signature.by),
        RecordField("host", "text", "On which server.", lambda one: one.signature.host),
        RecordField("project", "text", "In which project.", lambda one: one.signature.project),
        RecordField("version", "whole?", "The version before.", lambda one: one.version),
        RecordField("saved_version", "whole?", "The version after.", lambda one: one.saved_version),
        RecordField("batch", "text", "The same for what was confirmed together.", lambda one: one.batch),
        RecordField("undoes", "text", "The entry it took back.", lambda one: one.undoes),
        RecordField("ended_at", "time?", "When its end was known.", lambda one: stamped(one.ended_at)),
        RecordField("is_secret", "truth", "Whether payloads are masked.", lambda one: one.is_secret),
        RecordField("note", "text", "What was found out at the end.", lambda one: one.note),
    ),
)
