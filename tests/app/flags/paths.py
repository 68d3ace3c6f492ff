"""A server that answers by the end of the path, for the tests beside this file."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import httpx


class Paths:
    """The first end that fits has the response: a body, a status and a body, or a function of the request."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = dict(answers)
        self.requests = list[httpx.Request]()
        self.counts = Counter[str]()

    def __call__(self, request: httpx.Request) -> Any:
        end = next(end for end in self.answers if request.url.path.endswith(end))
        self.requests.append(request)
        self.counts[end] += 1
        answer = self.answers[end]
        if callable(answer):
            return answer(request)
        status, body = answer if isinstance(answer, tuple) else (200, answer)
        return httpx.Response(status, json=body)
