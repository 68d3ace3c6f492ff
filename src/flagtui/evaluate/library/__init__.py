"""How the product's Python library reads dates, versions and patterns, where the server does otherwise."""
