"""What a traversal finds: external sampling, walks over boards with all hands, self-play, baselines."""
