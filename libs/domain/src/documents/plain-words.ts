import { takeFirstCharacters } from '../characters.ts';
import { toPlainLine } from '../line.ts';

/** How much of a text is read, in characters (Unicode code points). */
const inputMax = 400;
const phraseMax = 40;
const sentenceMax = 160;

/**
 * Converts a name to words, in lower case except for abbreviations: `PaymentMethodsController` becomes `payment
 * methods`. Returns `''` if it is not a real name but a placeholder, an identifier, or a word that every API uses.
 */
export const phraseOf = (name: string): string => {
  const text = removeMarkup(name);
  if (/[{}]/.test(text) || text.split(/[^\p{L}\p{M}\p{N}]+/u).some(isId)) return '';
  const words = text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    // Does not split the plural of an abbreviation, such as APIs.
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{L}))/gu, '$1 ')
    .replace(/[^\p{L}\p{M}\p{N}&' ]+/gu, ' ')
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (isAbbreviation(word) ? word : word.toLowerCase()));
  const phrase = words.join(' ').replace(/(?<=\p{L}) (?:controller|apis?|endpoints?|resources?)$/iu, '');
  return !/\p{L}{2}/u.test(phrase) || phrase.length > phraseMax || isBoilerplate(phrase) ? '' : phrase;
};

/**
 * Returns the first sentence of a text, without markup or URLs, capitalised and with a final full stop. Returns
 * `''` if it is not a sentence but a path, an identifier, or a single word in a script with spaces.
 */
export const sentenceOf = (text: string): string => {
  const line = removeMarkup(text);
  const firstSentence = /^.+?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line;
  const trimmedSentence = firstSentence.replace(/[\s.:;,–—-]+$/u, '').trim();
  // Some authors write the operation's name as its summary.
  const sentence = /^\p{L}+$/u.test(trimmedSentence) ? phraseOf(trimmedSentence) : trimmedSentence;
  const words = sentence.split(' ');
  const isSentence = words.length > 1 || /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u.test(sentence);
  return !isSentence ||
    !/\p{L}{2}/u.test(sentence) ||
    /[/\\{}<>|=]|^\S*[_.]\S*$/.test(sentence) ||
    sentence.length > sentenceMax ||
    isBoilerplate(sentence) ||
    words.some(isId)
    ? ''
    : toSentence(sentence);
};

/** Capitalises the first letter, and adds a full stop if there is no final punctuation mark. */
export const toSentence = (words: string): string => {
  const [initial = ''] = words;
  const capitalised = initial.toUpperCase() + words.slice(initial.length);
  return /[!?。！？…]$/u.test(capitalised) ? capitalised : `${capitalised}.`;
};

/** Returns the text as one plain line, without HTML, Markdown or URLs. */
const removeMarkup = (text: string): string =>
  toPlainLine(takeFirstCharacters(text.trimStart(), inputMax))
    .replace(/<[^<>]{0,300}>/g, ' ')
    .replace(/!?\[([^[\]]{0,200})\]\([^()\s]{0,300}\)/g, '$1')
    .replace(
      /\b(?:https?|ftp):\/\/\S+|\bwww\.\S+|[^\s@]+@[^\s@]+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev)\b\S*/gi,
      ' ',
    )
    .replace(/&(?:[a-z]{2,10}|#\d{1,7});/gi, ' ')
    .replace(/[`*]+/g, '')
    .replace(/[#~]+|(?<!\S)_+|_+(?!\S)|\(\s*\)/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/\( /g, '(')
    .trim();

const isAbbreviation = (word: string): boolean => /^\p{Lu}[\p{Lu}\d]{1,4}s?$/u.test(word);

/** Whether the word is a hash, a key or a numbered name, and thus meaningless to readers. */
const isId = (word: string): boolean =>
  word.length > 30 ||
  /^(?=.*\d)[\da-f]{6,}$/i.test(word) ||
  /\d{5,}/.test(word) ||
  /^(?=.*\d.*\p{L})(?=.*\p{Ll})(?=.*\p{Lu}).{8,}$/u.test(word);

/** Whether the phrase carries no information about a document. */
const isBoilerplate = (phrase: string): boolean =>
  /^(?:apis?|rest|default|endpoints?|methods?|misc|other|general|operations?|resources?|todo|tbd|untitled|string|example|test|ok|success|summary|description|openapi|swagger)$/i.test(
    phrase.replace(/[.\s]+$/, ''),
  ) || /\b(?:auto-?generated|lorem ipsum|deprecated)\b/i.test(phrase);
