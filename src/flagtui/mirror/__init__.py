"""A local mirror of a project's flags: programs on this machine query it, with overrides of their own."""
