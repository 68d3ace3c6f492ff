"""The frame of every screen: header, footer, status line, connection, sign-in, polling, preloading."""
