"""Who sees a flag, answered from the stored people: values, reasons, reach, and what SDKs evaluate with."""

from flagtui.service.evaluation.operations import OPERATIONS

__all__ = ["OPERATIONS"]
