"""Changes of experiments: steps of a life cycle, each allowed in some states only and sent once."""
