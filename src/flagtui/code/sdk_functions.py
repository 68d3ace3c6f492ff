"""Functions of libraries that name a flag or an event, by name, whatever the language."""

from collections.abc import Iterable, Mapping
from typing import Final, Literal

import msgspec

Subject = Literal["flag", "event"]
KEY_NAMES: Final = frozenset(("key", "flag", "flagkey", "flag_key", "featurekey", "feature_key", "forkey"))
"""Names of arguments and members that hold the key, in lower case."""
EVENT_NAMES: Final = frozenset(("event", "eventname", "event_name"))
NAME_MARKS: Final = frozenset("_$!?")
"""Characters of names that are neither letters nor digits."""
FALLBACK_NAMES: Final = frozenset(("default", "defaultvalue", "default_value", "fallback"))


class SdkFunction(msgspec.Struct, frozen=True):
    """A function that receives a key."""

    subject: Subject = "flag"
    index: int = 0
    """Place of the key among the arguments without a name."""
    fallback: int | None = None
    """Place of the value that is used without a server; None if only an operator sets one."""
    needs: tuple[str, ...] = ()
    """Words in lower case of which the file must have one: the name alone is common."""
    is_wrapper: bool = False
    has_user: bool = False
    """Whether libraries for servers put the user before the key."""
    is_server: bool = False
    """Whether only libraries for servers have it."""


_FLAG: Final = SdkFunction()
_COMMON: Final = SdkFunction(needs=("posthog",))
_DECLARED: Final = SdkFunction(needs=("posthogadapter",), is_server=True)
"""Declares a flag for Vercel's Flags SDK."""
_READ: Final = SdkFunction(has_user=True)
_CHECK: Final = SdkFunction(fallback=1, has_user=True)
_SNAPSHOT: Final = SdkFunction(
    needs=("evaluateflags", "evaluate_flags", "featureflagevaluations"), is_server=True
)
"""Reads a value of all flags of a user, which another call has evaluated."""
_OPEN: Final = SdkFunction(fallback=1, needs=("openfeature", "open_feature", "open-feature"))
_OPEN_GO: Final = SdkFunction(index=1, fallback=2, needs=("openfeature",))
_CAPTURE: Final = SdkFunction("event", needs=("posthog",), has_user=True)
_TYPES: Final = ("Boolean", "String", "Number", "Integer", "Float", "Double", "Object")


def _sdk_functions() -> Mapping[str, SdkFunction]:
    functions = {
        **dict.fromkeys(("isFeatureEnabled", "getFeatureFlag"), _CHECK),
        **dict.fromkeys(("getFeatureFlagPayload", "getFeatureFlagResult", "getRemoteConfigPayload"), _READ),
        **dict.fromkeys(
            (
                *("isEnabled", "getFlag", "getFlagPayload", "getFlagPayloadAs", "is_enabled", "enabled?"),
                *("get_flag", "get_flag_payload", "IsEnabled", "GetFlag", "GetFlagPayload"),
            ),
            _SNAPSHOT,
        ),
        **dict.fromkeys(
            (
                *("useFeatureFlagEnabled", "useFeatureFlagVariantKey", "useFeatureFlagPayload"),
                *("useFeatureFlag", "useFeatureFlagResult", "useFeatureFlagWithPayload"),
                *("updateEarlyAccessFeatureEnrollment", "isFeatureFlagEnabled"),
                *("feature_enabled", "is_feature_enabled", "get_feature_flag", "get_feature_flag_payload"),
                *("get_feature_flag_result", "get_remote_config_payload"),
                *("IsFeatureEnabled", "GetFeatureFlag", "GetFeatureFlagPayload", "GetFeatureFlagResult"),
                *("GetRemoteConfigPayload", "IsFeatureEnabledAsync", "GetFeatureFlagAsync"),
                *("GetRemoteConfigPayloadAsync", "FeatureFlagPayload"),
                *("FeatureFlags.check", "FeatureFlags.check!", "FeatureFlags.get_feature_flag_result"),
                "FeatureFlags.get_feature_flag_result!",
            ),
            _FLAG,
        ),
        **dict.fromkeys(("feature_flag", "feature_flag_enabled", "feature_flag_enabled?"), _COMMON),
        "flag": _DECLARED,
        **dict.fromkeys(("useFlag", "useSuspenseFlag"), _OPEN),
        **dict.fromkeys(
            ("capture", "captureImmediate", "bare_capture", "Capture", "Event.new", "Event.new_anon"),
            _CAPTURE,
        ),
    }
    for type in _TYPES:
        snake = type.lower()
        names = (
            *(f"get{type}Value", f"get{type}Details", f"use{type}FlagValue", f"use{type}FlagDetails"),
            *(f"get_{snake}_value", f"get_{snake}_details", f"fetch_{snake}_value"),
            *(f"Get{type}ValueAsync", f"Get{type}DetailsAsync"),
        )
        functions |= dict.fromkeys(names, _OPEN)
    functions |= dict.fromkeys(("BooleanValue", "StringValue", "FloatValue", "IntValue"), _OPEN_GO)
    return functions


SDK_FUNCTIONS: Final = _sdk_functions()
"""By name; a name with a dot is called on that receiver only."""


class CallNames:
    """The functions to look for: those of libraries, and the repository's own wrappers."""

    def __init__(
        self,
        wrappers: Iterable[str] = (),
        event_wrappers: Iterable[str] = (),
        renamed: Mapping[str, SdkFunction] = {},
    ) -> None:
        flags, events = SdkFunction(is_wrapper=True), SdkFunction("event", is_wrapper=True)
        named = (*((name, flags) for name in wrappers), *((name, events) for name in event_wrappers))
        own = {name.replace("::", "."): function for name, function in named}
        self._functions = {**SDK_FUNCTIONS, **renamed, **own}
        self._last = frozenset(name.rpartition(".")[2] for name in self._functions)
        self._tail_length = min(map(len, self._last))
        self._tails = frozenset(name[-self._tail_length :] for name in self._last)

    def with_imports(self, renamed: Mapping[str, str]) -> "CallNames":
        """Return the same functions, and those that a file imports by another name."""
        functions = {new: self._functions[old] for new, old in renamed.items() if old in self._functions}
        return CallNames(renamed=self._functions | functions) if functions else self

    def may_end(self, text: str, positions: Iterable[int]) -> list[int]:
        """Return the positions that such a name can precede: few of those after other names."""
        tails, length = self._tails, self._tail_length
        return [
            position
            for position in positions
            if (tail := text[position - length if position > length else 0 : position]) in tails
            # Anything but a name, such as types or `?.`, can follow one.
            or not (tail[-1:].isalnum() or tail[-1:] in NAME_MARKS)
        ]

    def is_name(self, name: str) -> bool:
        """Return whether a function has this name on some receiver."""
        return name in self._last

    def find(self, receiver: str, name: str) -> SdkFunction | None:
        """Return the function of this name on this receiver, such as `client` or `FeatureFlags`."""
        return self._functions.get(f"{receiver}.{name}") or self._functions.get(name)
