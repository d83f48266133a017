"""What a parcel costs."""

from dataclasses import dataclass

BASE_CENTS = 450
STEP_GRAMS = 500
STEP_CENTS = 120
VOLUME_DIVISOR = 5  # cubic centimetres that count as one gram
INSURANCE_PER_MILLE = 15


@dataclass(frozen=True)
class Parcel:
    """A parcel as it lies on the counter."""

    grams: int
    length: int
    width: int
    height: int
    worth_cents: int = 0

    @property
    def volume_grams(self) -> int:
        """What the parcel would weigh if it were filled with the usual goods."""
        return self.length * self.width * self.height // VOLUME_DIVISOR


def billed_grams(parcel: Parcel) -> int:
    """The larger of weight and volume weight: big light parcels take room, too."""
    return max(parcel.grams, parcel.volume_grams)


def steps(grams: int) -> int:
    """How many price steps a weight takes."""
    return grams // STEP_GRAMS


def insurance(worth_cents: int) -> int:
    """The insurance fee in cents; nothing to insure costs nothing."""
    return worth_cents * INSURANCE_PER_MILLE // 1000


def price(parcel: Parcel) -> int:
    """The whole price in cents."""
    return BASE_CENTS + steps(billed_grams(parcel)) * STEP_CENTS + insurance(parcel.worth_cents)
