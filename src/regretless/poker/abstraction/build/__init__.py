"""Building an abstraction: plans of streets, sweeps over boards, k-means, checkpoints, estimates."""
