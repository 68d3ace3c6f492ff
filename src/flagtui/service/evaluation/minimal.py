"""A flag with only what evaluating it takes."""

import sqlite3

from flagtui.service.answers import text_of


def minimal_text(row: sqlite3.Row, filters: str, project_id: int, *, legacy: bool) -> str:
    """JSON text between the braces, `filters` being JSON text already."""
    text = (
        f'"id":{row["id"]},"team_id":{project_id},"name":{text_of(row["name"])},"key":{text_of(row["key"])}'
        f',"filters":{filters},"deleted":{_truth(row["deleted"])},"active":{_truth(row["active"])}'
        f',"ensure_experience_continuity":{_truth(row["ensure_experience_continuity"])}'
        f',"version":{text_of(row["version"])},"evaluation_runtime":{text_of(row["evaluation_runtime"])}'
    )
    if legacy:
        return (
            f'{text},"has_encrypted_payloads":{_truth(row["has_encrypted_payloads"])}'
            f',"evaluation_tags":{row["evaluation_contexts"]}'
        )
    return (
        f'{text},"bucketing_identifier":{text_of(row["bucketing_identifier"])}'
        f',"evaluation_contexts":{row["evaluation_contexts"]}'
    )


def _truth(value: int | None) -> str:
    return "null" if value is None else "true" if value else "false"
