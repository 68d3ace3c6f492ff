"""Clients whose server is a function, for the tests below this folder."""

from tests.doubles.servers import clock as clock
from tests.doubles.servers import make_client as make_client
