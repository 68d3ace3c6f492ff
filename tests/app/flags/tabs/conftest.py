"""The flags of the sample, read once for the tests beside this file."""

from tests.doubles.served_flags import projects as projects
