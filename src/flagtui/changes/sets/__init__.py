"""Change sets: several changes of one project as data, staged, proposed, planned and applied as one."""
