"""The provider's prompt cache as we understand it: where to mark, what to expect, and what went otherwise.

Pure: time, prices and requests are passed in, so that a log gives the same figures again.
"""
