"""Dialogs and forms in which a change is put together; none of them sends anything."""
