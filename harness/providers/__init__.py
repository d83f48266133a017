"""One transport and one wire format a file; all of them behind the seam in `base`."""
