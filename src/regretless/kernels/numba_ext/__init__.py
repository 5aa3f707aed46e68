"""Extensions of the compiler: decorators of kernels, pointers, vectors, atomics, and a cache keyed by content."""
