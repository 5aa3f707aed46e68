"""Deep CFR, SD-CFR and NFSP on hold'em."""
