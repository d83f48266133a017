"""The ground floor: tools that declare what they would touch, and do their work."""
