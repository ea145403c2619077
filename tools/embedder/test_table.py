import hashlib
import struct
import tempfile
import unittest
from pathlib import Path

import setting

try:
    import numpy as np

    import table
    from corpus import BadInput
except ModuleNotFoundError:
    np = None


def made(words=("pay", "bill", "rain"), width=64):
    rows = np.random.default_rng(3).normal(size=(len(words), width)).astype(np.float32)
    rows[-1] *= 1e-3
    scales, codes = table.quantised(rows)
    numbers = np.arange(len(words), dtype=np.uint8)
    return rows, table.Table(list(words), numbers + 9, numbers + 200, scales, codes)


@setting.needs("numpy", "scipy")
class TableFile(unittest.TestCase):
    def test_what_is_written_is_read(self):
        _, given = made()
        read = table.from_bytes(table.to_bytes(given))
        self.assertEqual(read.words, given.words)
        for name in ("idf", "rarity", "scales", "codes"):
            np.testing.assert_array_equal(getattr(read, name), getattr(given, name))

    def test_the_bytes_lie_where_the_format_says(self):
        _, given = made()
        data = table.to_bytes(given)
        self.assertEqual(data[:8], b"PWORDS01")
        self.assertEqual(struct.unpack_from("<III", data, 8), (3, 64, 14))
        self.assertEqual(data[20:34], b"pay\nbill\nrain\n")
        self.assertEqual(data[34:40], bytes([9, 10, 11, 200, 201, 202]))
        first_scale = np.frombuffer(data, "<f2", 1, 40)[0]
        self.assertEqual(first_scale, given.scales[0, 0])
        self.assertEqual(data[40 + 2 * 6], given.codes[0, 0] | given.codes[0, 1] << 4)
        self.assertEqual(len(data), 40 + 12 + 3 * 32)

    def test_four_bits_keep_the_direction_of_a_row(self):
        rows, given = made()
        for row, read in zip(rows, given.rows()):
            cosine = row @ read / np.linalg.norm(row) / np.linalg.norm(read)
            self.assertGreater(cosine, 0.99)

    def test_a_row_of_zeros_stays_one(self):
        scales, codes = table.quantised(np.zeros((1, 32), np.float32))
        self.assertFalse(table.Table(["a"], None, None, scales, codes).rows().any())

    def test_the_digest_is_of_the_bytes_that_were_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "words.bin"
            digest = table.write(path, b"bytes")
            self.assertEqual(digest, hashlib.sha256(path.read_bytes()).hexdigest())
            self.assertEqual([file.name for file in Path(folder).iterdir()], ["words.bin"])

    def test_another_file_a_shortened_one_and_a_row_of_31_numbers_are_rejected(self):
        data = table.to_bytes(made()[1])
        with self.assertRaisesRegex(BadInput, "does not begin with PWORDS01"):
            table.from_bytes(b"PWORDS02" + data[8:])
        with self.assertRaisesRegex(BadInput, "should have 148 bytes, but has 147"):
            table.from_bytes(data[:-1])
        with self.assertRaisesRegex(BadInput, "multiple of 32"):
            table.quantised(np.zeros((1, 31), np.float32))

    def test_words_that_no_text_can_hold_and_repeated_ones_are_rejected(self):
        for words, message in ((("pay", "Bill"), "'Bill' is no word"), (("a", "a"), "twice"), (("b" * 25,), "no word")):
            with self.assertRaisesRegex(BadInput, message):
                table.from_bytes(table.to_bytes(made(words)[1]))


if __name__ == "__main__":
    unittest.main()
