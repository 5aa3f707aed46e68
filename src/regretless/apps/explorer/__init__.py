"""The explorer: strategies to look at and to play against, in the browser and in the terminal.

What the pages show is worked out by plain functions that know nothing of HTML:

    following    what a run's file says of itself while another process writes it
    library      the runs that were given, by number      opened       one of them, with its game and tree
    outline      the public tree of a game                nodes        infosets with reach, values and regrets
    leaks        what each infoset gives away             differences  two strategies side by side
    holdem       grids of hold'em runs                    sights       cards, dice and boards in labels
    table        a person against a strategy              opponents    what a strategy does and expects at a state
    jobs         solves that the page has started

`markup`, `drawing`, `charts` and `pages` turn that into HTML, `app` says which page answers which request, and `server`
talks to the browser. The server is the standard library's and pages work without a script: a web framework takes longer
to import than the first page may take to appear. Terminal play (`regretless.apps.playing`) sits at the same `table`.
"""
