"""Extensions of the compiler: pointers, vector registers, atomics, and machine code keyed by content."""
