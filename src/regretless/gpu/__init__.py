"""Work on a GPU that methods and evaluation share: availability, memory, and walks over listed trees."""
