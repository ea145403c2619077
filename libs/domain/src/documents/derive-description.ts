import { takeFirstCharacters, hasAtMostCharacters } from '../characters.ts';
import { type Json, isJsonArray, isJsonObject } from '../json.ts';
import { memberOf } from './document-value.ts';
import { resourcesOf } from './path-resources.ts';
import { toSentence, phraseOf, sentenceOf } from './plain-words.ts';

/** The maximum length of a derived description, in characters (Unicode code points; extensions, section 1). */
export const derivedDescriptionMax = 600;

/** Limits on how much of the document is read, so that no document takes long to process. */
const operationsMax = 3_000;
const subjectsMax = 12;
const summariesMax = 12;

const methods: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** The text that one operation contributes. */
interface OperationWords {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly resources: readonly string[];
}

/**
 * Derives a description for a document that has none, from the document's own text: its summary, its subjects (its tags
 * and the resources of its paths, the most frequent first), and the most informative summaries of operations. At most
 * `derivedDescriptionMax` characters, in whole sentences; `''` if the document contains no such text.
 */
export const deriveDescription = (document: Json): string => {
  const info = memberOf(document, 'info');
  const title = keyOf(phraseOf(textOf(memberOf(info, 'title'))));
  const operations = operationsOf(document);
  const subjects = subjectsOf(document, operations).filter((subject) => keyOf(subject) !== title);
  const subjectSentence = subjects.length === 0 ? '' : toSentence(subjects.join(', '));
  const sentences = [sentenceOf(textOf(memberOf(info, 'summary'))), subjectSentence].filter(
    (sentence) => sentence !== '',
  );
  return joinSentences([...sentences, ...selectSummaries(operations, [title, ...subjects])]);
};

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

const operationsOf = (document: Json): readonly OperationWords[] => {
  const operations: OperationWords[] = [];
  for (const [path, item] of membersOf(memberOf(document, 'paths'))) {
    const resources = resourcesOf(path);
    for (const [method, operation] of membersOf(item)) {
      if (!methods.includes(method) || !isJsonObject(operation)) continue;
      const tags = memberOf(operation, 'tags');
      operations.push({
        summary: sentenceOf(textOf(memberOf(operation, 'summary'))),
        tags: isJsonArray(tags) ? tags.slice(0, 3).map((tag) => phraseOf(textOf(tag))) : [],
        resources,
      });
      if (operations.length === operationsMax) return operations;
    }
  }
  return operations;
};

/** Returns the first members of an object; lists only the names of all members, because an object may have millions. */
const membersOf = (value: Json | undefined): readonly (readonly [string, Json])[] =>
  isJsonObject(value)
    ? Object.keys(value)
        .slice(0, operationsMax)
        .map((name) => [name, value[name] ?? null] as const)
    : [];

/**
 * Returns each subject of the document once: subjects of the most operations first, and subjects shared by all
 * operations last.
 */
const subjectsOf = (document: Json, operations: readonly OperationWords[]): readonly string[] => {
  const subjects = new Map<string, { readonly words: string; count: number }>();
  const addSubject = (words: string, count: number): void => {
    const key = keyOf(words);
    if (key === '') return;
    const subject = subjects.get(key);
    if (subject) subject.count += count;
    else subjects.set(key, { words, count });
  };
  const declaredTags = memberOf(document, 'tags');
  for (const tag of isJsonArray(declaredTags) ? declaredTags.slice(0, 100) : [])
    addSubject(phraseOf(textOf(memberOf(tag, 'name'))), 0.5);
  for (const { tags, resources } of operations)
    for (const words of new Set([...tags, ...resources])) addSubject(words, 1);
  const isShared = ({ count }: { readonly count: number }): boolean =>
    operations.length > 3 && count >= operations.length;
  return removeRepeats(
    [...subjects.values()]
      .sort((a, b) => Number(isShared(a)) - Number(isShared(b)) || b.count - a.count)
      .map(({ words }) => words),
  ).slice(0, subjectsMax);
};

/** Removes subjects that only repeat words of earlier ones. */
const removeRepeats = (subjects: readonly string[]): readonly string[] => {
  const seenWords = new Set<string>();
  return subjects.filter((subject) => {
    const words = wordsOf(subject);
    // `crossselling` adds nothing to `cross selling`.
    const joinedWords = words.join('');
    const addsWords = !seenWords.has(joinedWords) && words.some((word) => !seenWords.has(word));
    for (const word of [...words, joinedWords]) seenWords.add(word);
    return addsWords;
  });
};

/** Chooses summaries one at a time, each time the one with the most new information; stops when no summary adds any. */
const selectSummaries = (operations: readonly OperationWords[], subjects: readonly string[]): readonly string[] => {
  const summaries = [...new Set(operations.map(({ summary }) => summary))]
    .filter((summary) => summary !== '')
    .map((summary) => ({ summary, words: [...new Set(wordsOf(summary))] }));
  const counts = new Map<string, number>();
  for (const { words } of summaries) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const coveredWords = new Set(subjects.flatMap(wordsOf));
  const selected: string[] = [];
  while (selected.length < summariesMax) {
    let bestCandidate = { gain: 0, summary: '', words: [] as readonly string[] };
    for (const { summary, words } of summaries) {
      let information = 0;
      for (const word of words) if (!coveredWords.has(word)) information += Math.sqrt(counts.get(word) ?? 0);
      // Long summaries have more words, but not more information per word.
      const gain = information / (2 + words.length);
      if (gain > bestCandidate.gain) bestCandidate = { gain, summary, words };
    }
    if (bestCandidate.gain === 0) return selected;
    selected.push(bestCandidate.summary);
    for (const word of bestCandidate.words) coveredWords.add(word);
  }
  return selected;
};

/** Joins as many whole sentences as fit; if the first one does not fit, it is truncated. */
const joinSentences = (sentences: readonly string[]): string => {
  let text = '';
  for (const sentence of sentences) {
    const extendedText = text === '' ? sentence : `${text} ${sentence}`;
    if (hasAtMostCharacters(extendedText, derivedDescriptionMax)) text = extendedText;
    else if (text === '') text = `${takeFirstCharacters(sentence, derivedDescriptionMax - 1).trim()}…`;
  }
  return text;
};

/** Returns the words of a text, ignoring case and number: `Customers` and `customer` are the same. */
const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word.length > 1)
    .map((word) => (word.length > 3 ? word.replace(/ies$/, 'y').replace(/(?<!s)s$/, '') : word));

const keyOf = (words: string): string => wordsOf(words).join(' ');
