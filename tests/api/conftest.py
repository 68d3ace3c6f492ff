from tests.doubles.servers import clock, make_client

__all__ = ["clock", "make_client"]
