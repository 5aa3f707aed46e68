"""The explorer: runs to look at, to play against and to start, as pages on this machine.

`apps.views` works out what is shown, `apps.play` deals and keeps score; `pages/` makes HTML of both, `web/` serves it.
"""
