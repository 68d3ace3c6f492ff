"""Endpoints that programs call for their flags, for every source of flags: this service and the mirror."""
