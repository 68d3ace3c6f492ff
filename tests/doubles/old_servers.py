"""Servers of other years, and the records on them."""

import json
from typing import Any

import httpx

NO_PLACE = {"type": "invalid_request", "code": "not_found", "detail": "Endpoint not found.", "attr": None}

CLOSED = {"code": "permission_denied", "detail": "This action does not support personal API key access"}

FLAG: dict[str, Any] = {"id": 5, "key": "a", "active": True, "filters": {"groups": []}, "version": 3}

EXPERIMENT: dict[str, Any] = {
    "id": 12,
    "name": "Blue",
    "feature_flag_key": "a",
    "start_date": None,
    "end_date": None,
    "feature_flag": {"id": 5, "key": "a", "active": False},
}

RUNNING = EXPERIMENT | {
    "start_date": "2026-03-01T12:00:00Z",
    "feature_flag": {"id": 5, "key": "a", "active": True},
}

PAUSED = RUNNING | {"feature_flag": {"id": 5, "key": "a", "active": False}}

STOPPED = RUNNING | {"end_date": "2026-04-01T12:00:00Z"}


class Old:
    """A server that knows flags and experiments by GET and PATCH, and nothing else."""

    def __init__(self, flag: dict[str, Any] = FLAG, experiment: dict[str, Any] = EXPERIMENT) -> None:
        self.records = {"feature_flags": dict(flag), "experiments": dict(experiment)}
        self.writes: list[tuple[str, str, Any]] = []
        self.asked: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        family, *rest = request.url.path.removeprefix("/api/projects/1/").strip("/").split("/")
        self.asked.append(f"{request.method} {request.url.path}")
        body = json.loads(request.content) if request.content else None
        if family not in self.records or len(rest) != 1 or not rest[0].isdigit():
            is_collection_action = request.method == "POST" and len(rest) == 1
            return (
                httpx.Response(403, json=CLOSED)
                if is_collection_action
                else httpx.Response(404, json=NO_PLACE)
            )
        if request.method == "PATCH":
            self.writes.append((family, rest[0], body))
            self.records[family] |= body or {}
        return httpx.Response(200, json=self.records[family])
