"""The web side of the explorer: server, guards, routes, jobs and table sessions."""
