"""One record as one line of a list: small, frozen, quick to build by the ten thousand."""

from typing import Final, Literal

import msgspec

UNUSED: Final = ("STALE", "INACTIVE")
"""What servers say of flags that seem not to be needed; INACTIVE is the word of older ones."""

OLD_QUERIES: Final = frozenset(("ExperimentTrendsQuery", "ExperimentFunnelsQuery"))
"""Kinds of metrics that only the engine before this one measures."""

FlagType = Literal["boolean", "multivariant", "experiment", "config", "rules"]


class FlagRow(msgspec.Struct, frozen=True, gc=False):
    """A flag as the list shows it. Times are Unix seconds, UTC; text is raw and must be made safe to draw."""

    id: int
    key: str
    name: str = ""
    """The description; the server calls it name."""
    active: bool = False
    archived: bool = False
    deleted: bool = False
    type: FlagType = "boolean"
    """`experiment` wins over `multivariant`; `config` is remote configuration; `rules` has targeting of a
    newer kind, of which nothing else is known."""
    runtime: str = "all"
    """`server`, `client`, `all`, or whatever a newer server says."""
    status: str = ""
    """Upper case: ACTIVE, STALE, INACTIVE, ARCHIVED, DELETED, or a word we do not know. Never on or off."""
    rollout: float | None = 0.0
    """Highest percentage of any condition that can decide; 0 when none could match, None for newer rules."""
    conditional: bool = False
    """True when no condition gives the highest percentage to everyone: some property is asked first."""
    tags: tuple[str, ...] = ()
    creator_id: int | None = None
    creator: str = ""
    """E-mail of the creator, else the first name, else empty."""
    created_at: float | None = None
    updated_at: float | None = None
    called_at: float | None = None
    version: int | None = None
    experiments: tuple[int, ...] = ()
    """Ids of experiments on this flag that are not deleted."""
    depends_on: tuple[int, ...] = ()
    """Ids of flags its conditions ask for."""
    can_edit: bool = True
    tells_calls: bool = True
    """False where the server does not say when a flag was last asked for."""

    @property
    def is_stale(self) -> bool:
        """On, and seems not to be needed. Older servers say INACTIVE of flags that are off, too; newer ones
        ask that only of flags that are on."""
        return self.active and self.status in UNUSED


class ExperimentRow(msgspec.Struct, frozen=True, gc=False):
    """An experiment as the list shows it. Times are Unix seconds, UTC; text is raw."""

    id: int
    name: str
    description: str = ""
    key: str = ""
    """The key of its flag."""
    flag_id: int | None = None
    flag_active: bool | None = None
    """None where the server does not say."""
    status: str = "draft"
    """draft, running, paused, stopped, exposure_frozen, or a word we do not know; derived on old servers."""
    archived: bool = False
    deleted: bool = False
    type: str = "product"
    """`product` or `web`."""
    conclusion: str = ""
    """won, lost, inconclusive, stopped_early, invalid, or empty. Can be set while it still runs."""
    variants: tuple[str, ...] = ()
    started_at: float | None = None
    ended_at: float | None = None
    creator_id: int | None = None
    creator: str = ""
    created_at: float | None = None
    updated_at: float | None = None
    holdout_id: int | None = None
    is_legacy: bool = False
    """Measured by an older engine."""
    can_edit: bool = True


TOLD: Final = ("description", "owner", "verified", "last_seen_at")
"""Members of an event definition of which a row says something; the plainest servers do not send all."""


class EventDefinitionRow(msgspec.Struct, frozen=True, gc=False):
    """An event definition as the list shows it. Times are Unix seconds, UTC; text is raw."""

    id: str
    """A UUID, except where an old server says otherwise."""
    name: str
    description: str = ""
    tags: tuple[str, ...] = ()
    verified: bool = False
    hidden: bool = False
    owner_id: int | None = None
    owner: str = ""
    created_at: float | None = None
    """None for one made by hand before the event was ever seen."""
    seen_at: float | None = None
    """Precise to about a day."""
    updated_at: float | None = None
    enforcement: str = "allow"
    """`reject` drops events that do not fit."""
    primary_property: str = ""
    is_action: bool = False
    """A set of events under one name, which is no event itself."""
    untold: tuple[str, ...] = ()
    """Of `TOLD` what the server did not send: then nothing can be said about it."""

    @property
    def is_builtin(self) -> bool:
        """Sent by the product's own libraries."""
        return self.name.startswith("$")
