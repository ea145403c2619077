"""Related texts: title and description, summaries, words and their dictionary entries."""

from corpus import Api, Question

API_WEIGHT = 3.0


def _phrase(text: str) -> bool:
    return 2 <= text.count(" ") + 1 <= 40


def api_pairs(apis: list[Api], most: int = 30) -> list[tuple[str, str, float]]:
    pairs = []
    for api in apis:
        operations = [o for o in dict.fromkeys(api.operations) if _phrase(o)][:most]
        if api.title and api.description:
            pairs.append((api.title, api.description[:400], API_WEIGHT))
        if api.title:
            pairs.extend((api.title, operation, API_WEIGHT) for operation in operations)
        if api.description:
            pairs.extend((api.description[:400], operation, API_WEIGHT) for operation in operations[: most // 2])
    return pairs


def dictionary_pairs(lines: list[str]) -> list[tuple[str, str, float]]:
    pairs = []
    for line in lines:
        lemmas, _, rest = line.partition(" . ")
        gloss, _, examples = rest.partition(" . ")
        if not gloss.strip():
            continue
        pairs.append((lemmas, gloss, 1.0))
        for example in examples.split(" ; "):
            example = example.strip(" .")
            if example:
                pairs.append((example, gloss, 1.0))
    return pairs


def question_pairs(questions: list[Question]) -> list[tuple[str, str, float]]:
    return [(question.question, question.about, 1.0) for question in questions]
