import unittest
import setting  # noqa: F401
from words import Frequencies, base_forms, words_of


class Words(unittest.TestCase):
    def test_camel_case_is_split_and_digits_stay_within_their_word(self):
        found = words_of("getHTTPStatus of oauth2 S3Bucket")
        self.assertEqual(found, ["get", "http", "status", "of", "oauth2", "s3", "bucket"])

    def test_markup_addresses_and_possessives_are_left_out(self):
        text = "<p>Read the [guide](https://x.example/a) at https://x.example/b,"
        text += " mail a@x.example: the shop's &amp; café</p>"
        self.assertEqual(words_of(text), ["read", "the", "guide", "at", "mail", "the", "shop", "cafe"])

    def test_a_run_of_25_characters_is_no_word_and_one_of_24_is(self):
        self.assertEqual(words_of("a" * 24 + " " + "b" * 25), ["a" * 24])

    def test_inflected_words_lead_to_their_base_forms(self):
        self.assertIn("city", base_forms("cities"))
        self.assertIn("box", base_forms("boxes"))
        self.assertIn("ship", base_forms("shipped"))
        self.assertIn("make", base_forms("making"))
        self.assertEqual(base_forms("glass"), [])


class Vocabulary(unittest.TestCase):
    def test_it_ranks_by_api_texts_then_the_dictionary_then_lemmas_then_the_alphabet(self):
        counted = Frequencies(["pay pay bill", "pay"], ["coin . a bill of coin . ", "dime . a dime . "])
        # pay 3 × 2; bill 3 + 1; coin 2 + 2; dime 2 + 2; a 2; of 1
        self.assertEqual(counted.vocabulary(10), ["pay", "bill", "coin", "dime", "a", "of"])
        self.assertEqual(counted.vocabulary(2), ["pay", "bill"])

    def test_a_word_of_neither_source_has_the_highest_idf_and_the_smallest_share(self):
        counted = Frequencies(["pay bill", "pay"], ["coin . money . "])
        self.assertEqual(counted.idf("unheard"), counted.highest_idf())
        self.assertLess(counted.idf("pay"), counted.idf("bill"))
        self.assertLess(counted.share("unheard"), counted.share("bill"))

    def test_a_share_is_the_mean_of_both_sources_and_a_missing_word_counts_half_an_occurrence(self):
        counted = Frequencies(["pay bill", "pay"], ["coin . money . "])
        self.assertAlmostEqual(counted.share("pay"), (2 / 3 + 0.5 / 2) / 2)
        self.assertAlmostEqual(counted.share("coin"), (0.5 / 3 + 1 / 2) / 2)


if __name__ == "__main__":
    unittest.main()
