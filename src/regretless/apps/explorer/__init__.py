"""The explorer: web pages to look at runs, to play against them and to start solves.

`apps.views` computes what is shown and `apps.play` deals and keeps the score. `pages/` turns both into HTML, `web/`
serves it.
"""
