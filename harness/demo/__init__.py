"""The demo: a small real project with faults in it, and a recorded model that mends them."""
