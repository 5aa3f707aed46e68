"""Networks that play hold'em: their plans on boards, their strategies, and best responses to them flop by flop."""
