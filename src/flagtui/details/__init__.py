"""Load the details of single records and users beyond their rows, on demand, and cache them."""
