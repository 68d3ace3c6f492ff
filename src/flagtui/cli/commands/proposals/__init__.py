"""View and drop proposed change sets.

flagtui propose writes them; flagtui apply PROPOSAL applies one.
"""
