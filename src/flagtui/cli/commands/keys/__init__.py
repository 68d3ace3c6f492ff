"""Create, list and revoke the API keys of an embedded service."""
