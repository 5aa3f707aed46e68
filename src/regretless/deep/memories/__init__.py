"""Where samples are kept: reservoirs, windows, merged samples, transitions."""
