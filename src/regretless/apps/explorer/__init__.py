"""The explorer: runs to look at, to play against and to start, as pages on this machine.

`apps.views` works out what is shown and `apps.play` deals and keeps score; `pages/` turns both into HTML, `web/` serves it.
"""
