"""Surfaces: the ways in which people meet Clearhead. Each stands on the session and knows no other surface."""
