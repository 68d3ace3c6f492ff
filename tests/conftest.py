"""What holds for every test."""

import os

from hypothesis import settings

# On a build machine the same examples every time: a find belongs to whoever looks for it,
# not to the next change.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile("same" if os.environ.get("CI") else "new")
