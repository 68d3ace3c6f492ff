"""Settings chosen at the start of the service, which every handler can read."""

from dataclasses import dataclass, field
from pathlib import Path

from flagtui.service.clock import Clock, system_clock
from flagtui.service.generations import DEFAULT, NEWEST, OLDER, Generation
from flagtui.service.request_body import Pace


@dataclass(frozen=True)
class Settings:
    strict: bool = False
    """Operations the product keeps from API keys respond with 403, as there; otherwise they are open."""
    strict_filters: bool = False
    """Cross-field faults of filters have the newest rule codes instead of the older sentences."""
    strict_versions: bool = False
    """Any stale `version` is a conflict, even when no field conflicts."""
    newest: bool = False
    """Respond exactly like the newest servers, without the older fields of the specification."""
    legacy: bool = False
    """Behave as servers of autumn 2025 did: fewer operations and fields, other names."""
    rules_v2: bool = False
    """Create, change and evaluate flags of configuration version 2; else only disable and delete them."""
    approvals: bool = False
    """Every change of a flag asks for an approval, as if a policy covered them all."""
    unlicensed: bool = False
    """No taxonomy licence: event definitions are read-only and have their base fields."""
    unknown_definition_fails: bool = False
    """An event definition that does not exist is a 500, as the product has it, instead of a 404."""
    rate_limit: int | None = None
    """Requests a minute for each key; None does not count."""
    max_flags: int = 2_000
    max_filters_bytes: int = 512 * 1024
    max_body_bytes: int = 20 * 1024 * 1024
    max_depth: int = 64
    pace: Pace = field(default_factory=Pace)
    clock: Clock = system_clock
    key_file: Path | None = None
    """Where the key of encrypted payloads lies; made with mode 0600 when the first one is stored."""

    def __post_init__(self) -> None:
        if self.newest and self.legacy:
            raise ValueError("newest and legacy exclude each other")

    @property
    def generation(self) -> Generation:
        if self.legacy:
            return OLDER
        return NEWEST if self.newest else DEFAULT
