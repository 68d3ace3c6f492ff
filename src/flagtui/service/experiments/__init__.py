"""Experiments: their life, and their results computed from stored events."""

from flagtui.service.experiments.operations import OPERATIONS

__all__ = ["OPERATIONS"]
