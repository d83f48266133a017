"""What is printed on a parcel."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Address:
    """Where a parcel goes; postal codes have five digits."""

    name: str
    street: str
    postal_code: int
    city: str


def postal_line(address: Address) -> str:
    """Postal code and city, as the sorting machine reads them."""
    return f"{address.postal_code} {address.city.upper()}"


def label(address: Address) -> str:
    """All lines of a label."""
    return "\n".join((address.name, address.street, postal_line(address)))


def tracking_number(serial: int) -> str:
    """A serial number with its check digit: the sum of the digits, modulo 10."""
    digits = f"{serial:08d}"
    return f"CP{digits}{sum(map(int, digits)) % 10}"
