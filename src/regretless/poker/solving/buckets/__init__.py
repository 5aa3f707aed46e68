"""Methods on games with a card abstraction: public chance sampling, external sampling and CFR-BR."""
