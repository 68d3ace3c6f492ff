"""`/flags` and `/decide`: the flags of one person, as each version of the libraries reads them."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from flagtui.evaluate.evaluation import Reason, RuleReason
from flagtui.service.errors import Json
from flagtui.service.responses import Response, respond, text_of
from flagtui.service.sdk.array_config import remote_settings
from flagtui.service.sdk.flag_set import FAILED, FlagResult
from flagtui.service.sdk.program_scope import read_scope
from flagtui.service.sdk.sdk_call import SdkCall, note, read_context, read_keys, read_token

_FIRST_TYPED: Final = 3
"""Of `/flags`: from this version on, records have one typed value."""


def flags(call: SdkCall) -> Response:
    """Respond to `/flags`: version 1 with plain values, 2 with records, 3 and later with typed records."""
    results = _evaluate(call)
    serves_typed = call.version >= _FIRST_TYPED and call.source.flag_set().serves_rules
    if call.version < 2:
        return respond(_plain_values(results) | _common(call, results))
    form = typed_record if serves_typed else record
    return respond(_records(results, form) | _common(call, results))


def decide(call: SdkCall) -> Response:
    """Respond to `/decide`, the older address: 1 lists keys, 2 and 3 map values, 4 has records."""
    results = _evaluate(call)
    common = _common(call, results) | remote_settings()
    if call.version >= 4:
        return respond(_records(results, record) | common)
    if call.version == 3:
        return respond(_plain_values(results) | common)
    values = {result.record.key: _older_value(result) for result in results if result.is_on}
    return respond({"featureFlags": values if call.version == 2 else [*values]} | common)


def _evaluate(call: SdkCall) -> list[FlagResult]:
    body = call.body()
    call.source.admit(read_token(body, call.query))
    if body.get("disable_flags") is True:
        return []
    context, keys = read_context(body), read_keys(body)
    flag_set = call.source.flag_set()
    outside = flag_set.outside(read_scope(body, call.headers))
    results = flag_set.evaluate(call.source.person_of(context), keys, outside)
    note(call, results, keys, outside)
    # Flags that are off for everyone are absent, as with the product.
    return [result for result in results if result.code != Reason.DISABLED]


def _common(call: SdkCall, results: Sequence[FlagResult]) -> dict[str, Json]:
    common: dict[str, Json] = {
        "errorsWhileComputingFlags": any(result.problem for result in results),
        "requestId": str(uuid.uuid4()),
    }
    return common | remote_settings() if call.query.get("config") == "true" else common


def _records(
    results: Sequence[FlagResult], form: Callable[[FlagResult], Mapping[str, Json]]
) -> dict[str, Json]:
    return {"flags": {result.record.key: form(result) for result in results}}


def _plain_values(results: Sequence[FlagResult]) -> dict[str, Json]:
    payloads = {result.record.key: _older_payload(result) for result in results}
    return {
        "featureFlags": {result.record.key: _older_value(result) for result in results if not result.problem},
        "featureFlagPayloads": {key: payload for key, payload in payloads.items() if payload is not None},
    }


def record(result: FlagResult) -> dict[str, Json]:
    """Return the record of version 2: enabled, variant, and a number or an object as the payload."""
    code = Reason.CONDITION_MATCH.value if result.code == RuleReason.TARGETING_MATCH else result.code
    flag = result.record
    return {
        "key": flag.key,
        "enabled": result.is_on,
        "variant": result.value if isinstance(result.value, str) else None,
        "reason": _reason(result, code),
        "metadata": {
            "id": flag.id,
            "version": flag.version,
            "description": flag.description,
            "payload": _older_payload(result),
            "has_experiment": flag.has_experiment,
        },
    } | _failure(result)


def typed_record(result: FlagResult) -> dict[str, Json]:
    """Return the record of version 3 and later: one value of any type."""
    flag = result.record
    metadata: dict[str, Json] = {
        "id": flag.id,
        "version": flag.version,
        "config_version": 2 if flag.has_rules else 1,
        "description": flag.description,
        "payload": None if flag.has_rules else result.payload,
        "has_experiment": flag.has_experiment,
    }
    if result.rule_id is not None:
        metadata |= {"rule_type": result.rule_type, "rule_id": result.rule_id}
    if not flag.has_rules and isinstance(result.value, str):
        metadata["variant_key"] = result.value
    reason = _reason(result, result.code)
    typed = {"key": flag.key, "value": result.value, "reason": reason, "metadata": metadata}
    return typed | ({"conditions": []} if flag.has_rules else {}) | _failure(result)


def _reason(result: FlagResult, code: str) -> dict[str, Json]:
    return {"code": code, "condition_index": result.condition_index, "description": result.description}


def _failure(result: FlagResult) -> dict[str, Json]:
    return {"failed": True} if result.code == FAILED else {}


def _older_value(result: FlagResult) -> bool | str:
    return result.value if isinstance(result.value, str) else result.is_on


def _older_payload(result: FlagResult) -> str | None:
    return text_of(result.value) if result.is_typed else result.payload
