"""The public tree: betting lines × boards × hand classes, and how much memory a solve of it takes."""
