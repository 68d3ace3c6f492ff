"""Changes to what belongs to a flag: copies, schedules, cohorts, dashboards."""
