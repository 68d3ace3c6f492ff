"""Each module declares commands; a folder is a group of them."""
