import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import setting

try:
    import numpy as np

    import corpus
    import projection
    import teach
except ModuleNotFoundError:
    np = None


def cosines(rows):
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T


@setting.needs("numpy", "scipy", "torch")
class TeachersVectors(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.texts = setting.tiny_texts()

    def read(self, width):
        encode = setting.tiny_encoder()
        projection.teach(encode, setting.WORDS, self.texts, width, self.folder, say=lambda _: None)
        return encode, corpus.read_teacher(self.folder)

    def test_files_have_the_shapes_and_types_that_training_reads(self):
        self.read(32)
        shape = lambda name: (np.load(self.folder / name).dtype, np.load(self.folder / name).shape)
        self.assertEqual(shape("words.npy"), (np.int8, (12, 32)))
        self.assertEqual(shape("words-scale.npy"), (np.float32, (12,)))
        self.assertEqual(shape("texts.npy"), (np.int8, (len(self.texts), 32)))
        self.assertEqual(shape("texts-scale.npy"), (np.float32, (len(self.texts),)))

    def test_words_and_texts_keep_their_order(self):
        encode, teacher = self.read(48)
        self.assertEqual(teacher.words, setting.WORDS)
        self.assertEqual(list(zip(teacher.kinds, teacher.texts)), self.texts)
        # At full width the projection is a rotation: the cosines of words to texts are the teacher's own.
        words, texts = encode(setting.WORDS), encode([text for _, text in self.texts])
        together = cosines(np.concatenate([words, texts]))
        read = cosines(np.concatenate([teacher.word_vectors, teacher.text_vectors]))
        np.testing.assert_allclose(read, together, atol=0.02)

    def test_eight_bits_keep_a_cosine_of_9999(self):
        rows = np.random.default_rng(1).normal(size=(200, 384)).astype(np.float32)
        codes, scales = projection.to_int8(rows)
        read = codes.astype(np.float32) * scales[:, None]
        cosine = (rows * read).sum(1) / np.linalg.norm(rows, axis=1) / np.linalg.norm(read, axis=1)
        self.assertGreater(cosine.min(), 0.9999)

    def test_fewer_numbers_keep_the_cosines_as_far_as_the_strongest_directions_reach(self):
        encode, teacher = self.read(32)
        whole = cosines(encode(teacher.texts))
        self.assertLess(np.abs(cosines(teacher.text_vectors) - whole).max(), 0.02)
        energy = np.square(teacher.text_vectors).mean(0)
        self.assertTrue((np.diff(energy) <= energy[:-1] * 0.01).all(), "directions are in order of strength")

    def test_directions_are_about_zero_and_not_about_the_mean(self):
        far = np.random.default_rng(2).normal(size=(100, 8)).astype(np.float32) * 0.1
        far[:, 3] += 5
        first = projection.principal_directions(far, 1)[:, 0]
        self.assertGreater(first[3], 0.99)

    def test_no_texts_empty_texts_and_too_great_a_width_are_rejected(self):
        encode = setting.tiny_encoder()
        for texts, width, message in (
            ([], 32, "no texts"),
            ([("op", " ")], 32, "text 1: must have a kind and some words"),
            (self.texts, 49, "width 49: the teacher's vectors have 48"),
        ):
            with self.assertRaisesRegex(corpus.BadInput, message):
                projection.teach(encode, setting.WORDS, texts, width, self.folder, say=lambda _: None)

    def test_a_teacher_that_gives_no_numbers_is_rejected(self):
        broken = lambda texts: np.full((len(texts), 48), np.nan)
        with self.assertRaisesRegex(corpus.BadInput, "finite numbers"):
            projection.teach(broken, setting.WORDS, self.texts, 32, self.folder, say=lambda _: None)


@setting.needs("numpy", "scipy", "torch")
class TeachCommand(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def run_teach(self, *given, load=lambda name: setting.tiny_encoder()):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            code = teach.main([*given, "--model", "tiny"], load)
        return code, said.getvalue()

    def test_it_makes_words_and_texts_from_the_data_and_leaves_out_what_is_judged(self):
        data = setting.tiny_data(self.folder / "data")
        code, said = self.run_teach("--data", str(data), "--out", str(self.folder / "out"), "--width", "32")
        self.assertEqual((code, said), (0, ""))
        made = corpus.read_teacher(self.folder / "out")
        self.assertIn("Pay a bill", made.texts)
        self.assertIn("a flat piece of money", made.texts)
        self.assertNotIn("ship", made.words)
        self.assertFalse([text for text in made.texts if "ship" in text.lower()])

    def test_own_words_and_texts_are_taken_as_they_are(self):
        (self.folder / "words").write_text("rain\nsun\n")
        (self.folder / "texts.tsv").write_text("".join(f"q\t{text}\n" for _, text in setting.tiny_texts()))
        own = ["--texts", str(self.folder / "texts.tsv"), "--words", str(self.folder / "words")]
        code, said = self.run_teach(*own, "--data", "none", "--out", str(self.folder / "out"), "--width", "32")
        self.assertEqual((code, said), (0, ""))
        self.assertEqual(corpus.read_teacher(self.folder / "out").words, ["rain", "sun"])

    def test_a_missing_file_is_named(self):
        code, said = self.run_teach("--data", str(self.folder / "nowhere"), "--out", str(self.folder / "out"))
        self.assertEqual(code, 2)
        self.assertRegex(said, "nowhere/training-text.jsonl.gz is missing")

    def test_where_the_package_is_missing_it_says_what_to_install(self):
        data = setting.tiny_data(self.folder / "data")
        with mock.patch.dict("sys.modules", {"sentence_transformers": None}):
            code, said = self.run_teach("--data", str(data), "--out", str(self.folder), load=teach.transformer)
        self.assertEqual(code, 2)
        self.assertIn("pip install sentence-transformers", said)


if __name__ == "__main__":
    unittest.main()
