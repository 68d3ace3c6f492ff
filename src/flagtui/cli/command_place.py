"""Where on the command line we are, for what is said of a mistake there."""

from types import TracebackType

import click


class CommandPlace(click.Context):
    """Where on the command line we are; a mistake of the person there names it."""

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        tb: TracebackType | None,
    ) -> bool | None:
        if isinstance(exc_value, click.UsageError) and exc_value.ctx is None:
            # An option without its value does not say of which command it is.
            exc_value.ctx = self
        return super().__exit__(exc_type, exc_value, tb)
