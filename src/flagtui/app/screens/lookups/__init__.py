"""Looking things up beside the list: flags by id, one's own values, the data libraries evaluate with."""
