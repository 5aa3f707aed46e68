"""The loop of a solve: when to stop, what is shown meanwhile, when to measure and to save."""
