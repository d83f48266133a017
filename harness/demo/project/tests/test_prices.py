import unittest

from parcel.prices import Parcel, billed_grams, insurance, price, steps


class StepsTest(unittest.TestCase):
    def test_a_full_step(self) -> None:
        self.assertEqual(steps(500), 1)

    def test_a_started_step_counts_as_a_whole_one(self) -> None:
        self.assertEqual(steps(501), 2)

    def test_nothing_weighs_nothing(self) -> None:
        self.assertEqual(steps(0), 0)


class PriceTest(unittest.TestCase):
    def test_a_small_parcel(self) -> None:
        self.assertEqual(price(Parcel(grams=500, length=20, width=10, height=5)), 570)

    def test_a_big_light_parcel_is_billed_by_its_volume(self) -> None:
        self.assertEqual(billed_grams(Parcel(grams=300, length=40, width=30, height=20)), 4800)

    def test_a_parcel_just_over_two_steps(self) -> None:
        self.assertEqual(price(Parcel(grams=1001, length=10, width=10, height=10)), 810)

    def test_insurance_is_fifteen_per_mille(self) -> None:
        self.assertEqual(insurance(20_000), 300)


if __name__ == "__main__":
    unittest.main()
