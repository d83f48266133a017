"""Real servers on loopback that play what a test has scripted."""
