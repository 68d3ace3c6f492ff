"""The written path for experiments: steps of a life, each allowed in some states only and sent once."""
