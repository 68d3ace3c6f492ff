"""The parts of an experiment's screen: lifecycle, metrics, intervals, variants."""
