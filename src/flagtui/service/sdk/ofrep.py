"""OFREP 0.3.0, the remote evaluation protocol of OpenFeature: one flag, all flags, and news of changes."""

from collections.abc import Iterable
from typing import Final

import msgspec

from flagtui.evaluate.evaluation import Reason, RuleReason
from flagtui.evaluate.parts import FlagParts, for_everyone
from flagtui.evaluate.wire import mapping
from flagtui.service.bodies import NOT_JSON
from flagtui.service.errors import Fault, Json
from flagtui.service.etags import tagged_answer
from flagtui.service.responses import Response, encode, respond, value_of
from flagtui.service.sdk.flag_set import OVERRIDE, FlagResult, FlagSet
from flagtui.service.sdk.sdk_call import EvaluationContext, SdkCall, note

EVENTS_PATH: Final = "/ofrep/v1/events"
"""Where news of changes are sent; the protocol leaves the address to the server."""
INACTIVE_SECONDS: Final = 120
"""How long a hidden page may keep its connection for news, by its own choice."""


class _ContextError(Exception):
    """A request that names no person; the code is the protocol's."""

    def __init__(self, code: str, details: str) -> None:
        super().__init__(details)
        self.code = code
        self.details = details


def evaluate_flag(call: SdkCall) -> Response:
    """Respond with one flag. Providers read `variant` and `errorDetails` without looking for them first."""
    key = call.params["key"]
    call.source.admit(read_credential(call))
    try:
        context = _context(call)
    except _ContextError as error:
        return _failure(400, key, error.code, error.details)
    flag_set = call.source.flag_set()
    results = flag_set.evaluate(call.source.person_of(context), [key])
    note(call, results, [key])
    if not results:
        return _failure(404, key, "FLAG_NOT_FOUND", f"there is no flag {key}")
    item = describe(results[0], flag_set)
    return respond(item, 400 if "errorCode" in item else 200)


def evaluate_flags(call: SdkCall) -> Response:
    """Respond with every flag, or 304 when the caller has these values."""
    call.source.admit(read_credential(call))
    try:
        context = _context(call)
    except _ContextError as error:
        return respond({"errorCode": error.code, "errorDetails": error.details}, 400)
    flag_set = call.source.flag_set()
    results = flag_set.evaluate(call.source.person_of(context))
    note(call, results)
    stream = {"type": "sse", "endpoint": {"requestUri": EVENTS_PATH}, "inactivityDelaySec": INACTIVE_SECONDS}
    content = encode({"flags": encode_results(results, flag_set), "eventStreams": [stream]})
    return tagged_answer(content, call.headers)


def changes(call: SdkCall) -> Response:
    """Respond with a stream of events, one after each change. A browser cannot send a key with this."""
    return Response(events=call.source.news.events())


def read_credential(call: SdkCall) -> str:
    """Return the key of the `X-API-Key` or the `Authorization` header; empty for none."""
    return call.headers.get("x-api-key") or call.headers.get("authorization", "").removeprefix("Bearer ")


def encode_results(results: Iterable[FlagResult], flag_set: FlagSet) -> list[msgspec.Raw]:
    """Return the JSON text of each result; the texts of kept results are kept as well."""
    kept = flag_set.encoded
    texts = []
    for result in results:
        text = kept.get(result.outcome)
        if text is None:
            text = msgspec.Raw(encode(describe(result, flag_set)))
            if result.outcome is not None:
                kept[result.outcome] = text
        texts.append(text)
    return texts


def describe(result: FlagResult, flag_set: FlagSet) -> dict[str, Json]:
    """Return one flag as the protocol has it: a value, no value for the default, or an error."""
    flag = result.record
    if result.problem:
        return {"key": flag.key, "errorCode": "GENERAL", "errorDetails": result.problem}
    metadata: dict[str, Json] = {"reason": result.code, "description": result.description}
    if result.payload is not None and not flag.is_remote_configuration:
        metadata["payload"] = result.payload
    item: dict[str, Json] = {
        "key": flag.key,
        "reason": _reason(result, flag_set.definitions.flags[flag.key]),
        "variant": _variant(result),
        "metadata": metadata,
    }
    value = None if _is_default(result) else _value(result)
    return item if value is None else item | {"value": value}


def _is_default(result: FlagResult) -> bool:
    """Return whether the caller uses its own default: flags that are off, unless off is their value."""
    if result.value is None or result.code == Reason.DISABLED:
        return True
    is_boolean = not (result.record.has_variants or result.record.is_remote_configuration)
    return result.value is False and not is_boolean


def _value(result: FlagResult) -> Json:
    """Return the value; None for a remote configuration without a payload, since null is no value here."""
    if not result.record.is_remote_configuration or result.value is not True:
        return result.value
    try:
        return value_of(result.payload)
    except NOT_JSON:
        return result.payload


def _variant(result: FlagResult) -> str:
    """Return the variant of the value; a provider requires one of every flag."""
    if isinstance(result.value, str):
        return result.value
    return "on" if result.is_on else "off"


def _reason(result: FlagResult, flag: FlagParts) -> str:
    """Return the protocol's word for what decided; `metadata.reason` has the product's."""
    if _is_default(result) and result.value is not None:
        return "DISABLED"
    if result.code == OVERRIDE or for_everyone(flag) is not None:
        return "STATIC"
    match result.code:
        case Reason.OUT_OF_ROLLOUT | RuleReason.ROLLOUT_MISS | Reason.HOLDOUT | RuleReason.HOLDOUT:
            return "SPLIT"
        case Reason.CONDITION_MATCH | RuleReason.TARGETING_MATCH | Reason.ENROLLMENT:
            is_drawn = isinstance(result.value, str) or result.rule_type == "percentage_rollout"
            return "SPLIT" if is_drawn else "TARGETING_MATCH"
    return "UNKNOWN"


def _context(call: SdkCall) -> EvaluationContext:
    """Return the person of the request: attributes are properties, `groups` names groups by their type."""
    try:
        context = call.body().get("context")
    except Fault as fault:
        raise _ContextError("PARSE_ERROR", fault.detail) from None
    if not isinstance(context, dict):
        raise _ContextError("INVALID_CONTEXT", "context is missing, or is no object")
    name = context.get("targetingKey")
    if not isinstance(name, str) or not name:
        raise _ContextError("TARGETING_KEY_MISSING", "the context has no targetingKey")
    groups = context.get("groups")
    device = context.get("$device_id")
    return EvaluationContext(
        name,
        {key: value for key, value in context.items() if key not in ("targetingKey", "groups")},
        {kind: key for kind, key in mapping(groups).items() if isinstance(key, str | int)},
        {kind: mapping(value) for kind, value in mapping(context.get("groupProperties")).items()},
        device if isinstance(device, str) else None,
    )


def _failure(status: int, key: str, code: str, details: str) -> Response:
    return respond({"key": key, "errorCode": code, "errorDetails": details}, status)
