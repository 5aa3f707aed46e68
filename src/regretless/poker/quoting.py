"""Values as error messages quote them."""

from __future__ import annotations

from regretless.errors import quoted

__all__ = ["quoted"]
