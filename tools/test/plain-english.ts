import ts from 'typescript';

/** The words that `STYLE.md` forbids, by where they are forbidden. */
export interface WordLists {
  /** The words that are forbidden in prose and in names. */
  readonly anywhere: readonly string[];
  readonly inNames: readonly string[];
  readonly asNames: readonly string[];
}

/** Returns the words in backticks in the list item that starts with `heading`. */
const listAfter = (style: string, heading: string): readonly string[] => {
  const [, list] = style.split(`\n- ${heading}:`);
  if (!list) throw new Error(`STYLE.md has no list "${heading}"`);
  return [...(list.split(/;|\n-|\n\n/)[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
};

/** Reads the lists under "Names are the field's". */
export const readWordLists = (style: string): WordLists => ({
  anywhere: listAfter(style, 'in prose and names'),
  inNames: listAfter(style, 'as part of a name'),
  asNames: listAfter(style, 'as a name'),
});

const createWordPattern = (words: readonly string[]): RegExp =>
  new RegExp(`\\b(?:${words.map((word) => word.replace(/\s+/g, '\\s+')).join('|')})\\b`, 'gi');

/** Matches `what` as a relative pronoun ("it removes `what` expires"), not in a question or in "what to do". */
const relativePronoun = /\bwhat\b(?=\s+\w)(?!\s+(?:to|happens|happened)\b)(?![^.!:;]*\?)/gi;

/** Replaces code in Markdown and in comments with spaces, because it is not prose. */
const removeCode = (text: string): string =>
  text.replace(/```[\s\S]*?```|`[^`]*`/g, (code) => code.replace(/\S/g, ' '));

/** A forbidden word, and its offset in the text. */
interface ForbiddenWord {
  readonly word: string;
  readonly offset: number;
}

const findInProse = (words: WordLists, text: string): readonly ForbiddenWord[] => {
  const prose = removeCode(text);
  return [createWordPattern(words.anywhere), relativePronoun].flatMap((pattern) =>
    [...prose.matchAll(pattern)].map(({ 0: word, index }) => ({ word, offset: index })),
  );
};

/** Returns the words of a name: "in flight max" for `inFlightMax` and `IN_FLIGHT_MAX`. */
const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_#$]+/g, ' ')
    .trim()
    .toLowerCase();

const isForbiddenName = (words: WordLists, name: string): boolean =>
  words.asNames.includes(wordsOf(name)) ||
  createWordPattern([...words.anywhere, ...words.inNames, 'what']).test(wordsOf(name));

const formatForbiddenWords = (
  path: string,
  text: string,
  forbiddenWords: readonly ForbiddenWord[],
): readonly string[] =>
  forbiddenWords.map(({ word, offset }) => `${path}:${text.slice(0, offset).split('\n').length}: ${word}`);

/** Returns the forbidden words of a Markdown document as `path:line: word`. */
export const findInMarkdown = (words: WordLists, path: string, text: string): readonly string[] =>
  formatForbiddenWords(path, text, findInProse(words, text));

/** Returns the forbidden words in the comments of a script, style sheet or configuration file as `path:line: word`. */
export const findInScript = (words: WordLists, path: string, text: string): readonly string[] =>
  formatForbiddenWords(
    path,
    text,
    [...text.matchAll(/(?:^|[\s;])(?:#|--|;;|\/\/|\/\*) .*$/gm)].flatMap(({ 0: comment, index }) =>
      findInProse(words, comment).map(({ word, offset }) => ({ word, offset: offset + index })),
    ),
  );

const commentsOf = (source: ts.SourceFile): readonly ts.TextRange[] => {
  const comments = new Map<number, ts.TextRange>();
  const visit = (node: ts.Node): void => {
    for (const comment of [
      ...(ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(source.text, node.getEnd()) ?? []),
    ])
      comments.set(comment.pos, comment);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...comments.values()];
};

/**
 * Returns the name that a node declares. Names of properties in object literals are omitted, because they are often
 * defined elsewhere, such as by an API.
 */
const declaredNameOf = (node: ts.Node): ts.Node | undefined =>
  ts.isVariableDeclaration(node) ||
  ts.isParameter(node) ||
  ts.isBindingElement(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isClassLike(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isTypeParameterDeclaration(node) ||
  ts.isPropertySignature(node) ||
  ts.isMethodSignature(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isMethodDeclaration(node)
    ? node.name
    : undefined;

const isMessage = (node: ts.Node): node is ts.LiteralLikeNode =>
  (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node)) &&
  /[a-z] [a-z]/.test(node.text);

/**
 * Returns whether a node is the title of a test, which is the first of several arguments, or of a contract case, which
 * is a property's name.
 */
const isTitle = (node: ts.Node): boolean => {
  const literal = ts.isTemplateMiddleOrTemplateTail(node)
    ? node.parent.parent
    : ts.isTemplateHead(node)
      ? node.parent
      : node;
  const { parent } = literal;
  return ts.isCallExpression(parent)
    ? parent.arguments.length > 1 && parent.arguments[0] === literal
    : ts.isPropertyAssignment(parent) && parent.name === literal;
};

/**
 * Returns the forbidden words in comments, names and messages of a TypeScript file as `path:line: word`. Tests quote
 * other people, for example in search queries, so with `titlesOnly`, the only strings that are checked are titles.
 */
export const findInSource = (
  words: WordLists,
  source: ts.SourceFile,
  { titlesOnly }: { readonly titlesOnly: boolean },
): readonly string[] => {
  const forbiddenWords: ForbiddenWord[] = [];
  const checkProse = (start: number, text: string): void => {
    forbiddenWords.push(...findInProse(words, text).map(({ word, offset }) => ({ word, offset: start + offset })));
  };
  for (const { pos, end } of commentsOf(source))
    checkProse(pos, source.text.slice(pos, end).replaceAll('\n *', '\n  '));
  const visit = (node: ts.Node): void => {
    const name = declaredNameOf(node);
    if (name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) && isForbiddenName(words, name.text))
      forbiddenWords.push({ word: name.text, offset: name.getStart() });
    if (isMessage(node) && (!titlesOnly || isTitle(node))) checkProse(node.getStart(), node.getText());
    ts.forEachChild(node, visit);
  };
  visit(source);
  return formatForbiddenWords(source.fileName, source.text, forbiddenWords);
};
