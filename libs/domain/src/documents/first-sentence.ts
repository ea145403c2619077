import { toPlainLine } from '../line.ts';

/**
 * Returns the first sentence of a description as one plain line, without Markdown and HTML; `''` if it has no words.
 * Headings count only if there is nothing else. With `isCut`, the text is the beginning of a longer one. A sentence
 * that the text does not finish ends with `…`. For short texts: the time is quadratic in the length.
 */
export const firstSentenceOf = (text: string, { isCut }: { readonly isCut: boolean }): string => {
  const blocks = readBlocks(text);
  const headings: string[] = [];
  for (const block of blocks) {
    if (block.isHeading) {
      headings.push(block.text);
      continue;
    }
    const end = findSentenceEnd(block.text);
    if (end !== null) return block.text.slice(0, end);
    const isUnfinished = isCut && blocks.next().done === true;
    return isUnfinished ? shorten(block.text) : block.text.replace(/\s*[:,;]$/, '…');
  }
  const [heading = ''] = headings;
  return isCut && headings.length === 1 ? shorten(heading) : heading;
};

/** A paragraph, a heading or an item of a list: a plain line with at least one letter. */
interface Block {
  readonly text: string;
  readonly isHeading: boolean;
}

function* readBlocks(text: string): Generator<Block, void, void> {
  let lines: string[] = [];
  const takeBlock = (isHeading: boolean): readonly Block[] => {
    const line = toPlainLine(decodeEntities(removeInlineMarkup(lines.join(' ')))).replace(/\s{2,}|[^\S ]/g, ' ');
    lines = [];
    return /\p{L}/u.test(line) ? [{ text: line, isHeading }] : [];
  };
  for (const line of removeBlockMarkup(text).split('\n')) {
    const [, marker = '', rest = ''] = blockStart.exec(line) ?? [];
    const isUnderline = /^\s*(?:={2,}|-{2,})\s*$/.test(line);
    if (isUnderline) yield* takeBlock(true);
    else if (/^\s*(?:$|\||:::|[*_]{3,}\s*$)/.test(line)) yield* takeBlock(false);
    else {
      if (marker !== '' && marker !== '>') yield* takeBlock(false);
      lines.push(marker === '' ? line : rest);
      if (marker.startsWith('#')) yield* takeBlock(true);
    }
  }
  yield* takeBlock(false);
}

/** The start of a heading, an item of a list, or a quotation. */
const blockStart = /^\s*(#{1,6}(?=\s)|[-*+](?=\s)|\d{1,3}[.)](?=\s)|>)\s*(.*?)(?:\s#+\s*)?$/;

/** Replaces the tags of HTML blocks by line breaks, marks headings as in Markdown, and removes code blocks. */
const removeBlockMarkup = (text: string): string => {
  if (!/[<`~]/.test(text)) return text;
  return text
    .replace(/<!--[^]*?(?:-->|$)/g, '')
    .replace(/^\s*(?:```|~~~)[^]*?(?:^\s*(?:```|~~~)[^\n]*$|(?![^]))/gm, '\n')
    .replace(/<h[1-6]\b[^<>]*>/gi, '\n\n# ')
    .replace(
      /<\/?(?:h[1-6]|p|br|div|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|t[dh]|hr|pre|blockquote|section|aside|details)\b[^<>]*>/gi,
      '\n\n',
    );
};

/** Removes the tags and marks within a block; one that the text does not close is removed to the end. */
const removeInlineMarkup = (line: string): string => {
  if (!/[<[`*_~\\]/.test(line)) return line;
  return (
    line
      .replace(/<((?:https?|mailto):[^\s<>]*)>/gi, '$1')
      .replace(
        /<\/?(?:a|abbr|b|big|center|code|del|em|font|i|img|ins|kbd|mark|samp|small|span|strong|s|su[bp]|tt|u|var|wbr)(?:\s[^<>]*)?\/?>/gi,
        '',
      )
      // Other names in angle brackets may be placeholders: `/users/<id>`.
      .replace(/<\/?[a-z][\w-]*\s[^<>]*=[^<>]*>|<\/?[a-z][^<>]*$/gi, '')
      .replace(/!\[[^[\]]*\](?:\([^()]*(?:\)|$))?/g, '')
      .replace(/\[([^[\]]+)\](?:\([^()]*(?:\)|$)|\[[^[\]]*\])/g, '$1')
      .replace(/`+/g, '')
      .replace(/(?<!\\)(\*{1,3}|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2')
      .replace(/(?<![\p{L}\p{N}_\\])(_{1,3})(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}_])/gu, '$2')
      .replace(/(?<!\S)(?:\*{1,3}|_{2,3})(?=\p{L})/gu, '')
      .replace(/\\([!-/:-@[-`{-~])/g, '$1')
  );
};

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  hellip: '…',
  ldquo: '“',
  lsquo: '‘',
  lt: '<',
  mdash: '—',
  nbsp: ' ',
  ndash: '–',
  quot: '"',
  rdquo: '”',
  rsquo: '’',
};

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]{2,6}));/gi, (entity, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(String(hex), 16) : null;
    return code === null ? (entities[String(name).toLowerCase()] ?? String(entity)) : String.fromCodePoint(code);
  });

/** Returns the position after the first sentence, or null if the text does not finish it. */
const findSentenceEnd = (text: string): number | null => {
  for (const { 0: mark, index } of text.matchAll(sentenceMark)) {
    const end = index + mark.length;
    const sentence = text.slice(0, end);
    const next = text.slice(end).trimStart();
    if (mark.startsWith('.') && next !== '' && isAbbreviated(text.slice(Math.max(0, index - 12), index), next))
      continue;
    // `Deprecated.` alone says too little.
    if (next !== '' && /^[\p{Script=Latin}\p{N}]+\W+$/u.test(sentence)) continue;
    return end;
  }
  return null;
};

/** A dot is a mark only before a space, so not in `v1.2` or in a URL; full stops of CJK need no space. */
const sentenceMark = /(?:[.!?…]+["'”’)\]]*(?=\s|$)|[。！？｡]+[」』”’）]*)/gu;

/** Words that never end a sentence with their dot. */
const abbreviations =
  /(?<![\p{L}\p{N}])(?:e\.\s?g|i\.\s?e|eg|ie|vs|cf|viz|approx|incl|excl|resp|ca|fig|dr|mrs?|prof|st)$/iu;
/** The initial of a name. */
const initial = /(?<![\p{L}\p{N}.])\p{Lu}$/u;
/** Words that end a sentence with their dot only if an upper-case letter follows. */
const finalAbbreviations =
  /(?<![\p{L}\p{N}])(?:etc|inc|ltd|co|corp|al|jr|sr|nos?|min|max|sec|est|vers?|vol|ref|ex|esp|dept|(?:\p{L}\.)+\p{L})$/iu;

/** Whether the dot between these texts belongs to a word, or to an ellipsis within a sentence. `before` may be cut. */
const isAbbreviated = (before: string, next: string): boolean =>
  abbreviations.test(before) ||
  initial.test(before) ||
  ((finalAbbreviations.test(before) || before.endsWith('.')) && !/^["'“‘([]?\p{Lu}/u.test(next));

/** Replaces the last word, which may be incomplete, by `…`; in a script without spaces, adds `…`. */
const shorten = (text: string): string => `${text.replace(/\s+\S*$/, '').replace(/[\s.,:;–—(-]+$/, '')}…`;
