"""Commands about hold'em: push or fold, and reports over many flops."""
