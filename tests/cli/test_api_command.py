"""`flagtui api`: any address is read, and none is changed."""

import json

import pytest
from tests.cli.conftest import Run, Service


@pytest.mark.parametrize(
    "path",
    [
        "feature_flags/?limit=1&search=new-nav",
        "/api/projects/{project}/feature_flags/?limit=1&search=new-nav",
        "HOST/api/projects/1/feature_flags/?limit=1&search=new-nav",
    ],
)
def test_api_prints_the_json_of_an_address(signed_in: Run, service: Service, path: str) -> None:
    done = signed_in("api", path.replace("HOST", service.address))
    assert done.code == 0, done.err
    assert [flag["key"] for flag in json.loads(done.out)["results"]] == ["new-nav"]


@pytest.mark.parametrize(
    "path",
    [
        *("https://other.example/api/projects/1/feature_flags/", "//other.example/api/", "/logout"),
        *("../../users/@me/", "%2e%2e/users/", "feature_flags//1/", "http://[", ""),
    ],
)
def test_api_refuses_other_hosts_and_paths(signed_in: Run, path: str) -> None:
    done = signed_in("api", path)
    assert (done.code, done.out) == (2, "")


def test_api_posts_only_what_changes_nothing_and_names_absences(signed_in: Run) -> None:
    refused = signed_in("api", "feature_flags/", "--data", "-", stdin='{"key": "new"}')
    assert (refused.code, "change nothing" in refused.err) == (3, True)
    keys = signed_in("api", "feature_flags/bulk_keys/", "--data", "-", stdin='{"ids": [842]}')
    assert keys.code == 0, keys.err
    for wrong in ("{", '{"ids": [NaN]}'):
        assert signed_in("api", "feature_flags/bulk_keys/", "--data", "-", stdin=wrong).code == 2
    assert signed_in("api", "feature_flags/99999/").code == 6
    assert signed_in("api", "no_such/").err.startswith("flagtui: /api/projects/1/no_such/: ")
