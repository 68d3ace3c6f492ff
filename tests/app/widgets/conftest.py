import pytest
from tests.doubles.list_app import ListApp


@pytest.fixture
def app() -> ListApp:
    return ListApp()
