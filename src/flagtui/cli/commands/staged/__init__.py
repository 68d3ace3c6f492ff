"""View and drop what is staged.

Every command that changes something stages with --stage; flagtui apply staged applies all of it.
"""
