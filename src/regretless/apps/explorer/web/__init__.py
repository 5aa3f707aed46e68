"""The web side of the explorer: server, routes, jobs, drawing."""
