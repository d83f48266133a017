"""The top floor: shows what the records say, and sends what the user decides."""
