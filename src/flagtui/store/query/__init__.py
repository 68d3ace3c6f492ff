"""The search language: a line typed by a person in, a test for rows out."""

from flagtui.store.query.flags import FLAGS
from flagtui.store.query.language import Query, QueryProblem, Term, compile_query, parse, read_line
from flagtui.store.query.line_edits import Chip, accept, complete, cycle, describe
from flagtui.store.query.vocabulary import Facts, QueryPerson, Vocabulary

__all__ = [
    "FLAGS",
    "Chip",
    "Facts",
    "Query",
    "QueryPerson",
    "QueryProblem",
    "Term",
    "Vocabulary",
    "accept",
    "compile_query",
    "complete",
    "cycle",
    "describe",
    "parse",
    "read_line",
]
