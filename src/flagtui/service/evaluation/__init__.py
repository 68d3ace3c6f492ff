"""Evaluation for the stored people: values, reasons, reach, and the document for SDKs."""

from flagtui.service.evaluation.operations import OPERATIONS

__all__ = ["OPERATIONS"]
