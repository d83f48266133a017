import unittest

from parcel.labels import Address, label, postal_line, tracking_number


class LabelTest(unittest.TestCase):
    def test_a_postal_code_keeps_its_leading_zero(self) -> None:
        self.assertEqual(postal_line(Address("A. Weber", "Ring 1", 1067, "Dresden")), "01067 DRESDEN")

    def test_a_label_has_three_lines(self) -> None:
        lines = label(Address("A. Weber", "Ring 1", 80331, "Munich")).splitlines()
        self.assertEqual(lines, ["A. Weber", "Ring 1", "80331 MUNICH"])

    def test_a_tracking_number_has_a_check_digit(self) -> None:
        self.assertEqual(tracking_number(1234), "CP000012340")


if __name__ == "__main__":
    unittest.main()
