"""The pages of the explorer as HTML, one module for each page and some that they share."""
