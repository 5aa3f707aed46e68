"""Files: runs, spots, ACPC games, PHH hand histories, CSV, Parquet and TexasSolver exports."""
