/**
 * Returns a member of a JSON object, indented, with every number and string exactly as in the text: `JSON.parse` would
 * change the digits of large integers, and of numbers such as `1.0`. Returns null if the object has no such member.
 */
export const formatMember = (text: string, name: string): string | null => {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    depth += depthChangeOf(token);
    const isName = depth === 1 && tokens[index + 1] === ':' && token.startsWith('"');
    if (isName && JSON.parse(token) === name) return formatValue(tokens.slice(index + 2));
  }
  return null;
};

/** Formats the value that starts with the first token. */
const formatValue = (tokens: readonly string[]): string => {
  let text = '';
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    const change = depthChangeOf(token);
    depth += change;
    const isEmpty = (change > 0 && depthChangeOf(tokens[index + 1]) < 0) || /[{[]$/.test(text);
    if (change > 0) text += isEmpty ? token : `${token}${lineBreak(depth)}`;
    else if (change < 0) text += isEmpty ? token : `${lineBreak(depth)}${token}`;
    else if (token === ',') text += `,${lineBreak(depth)}`;
    else text += token === ':' ? ': ' : token;
    if (depth === 0) break;
  }
  return text;
};

const depthChangeOf = (token: string | undefined): number =>
  token === '{' || token === '[' ? 1 : token === '}' || token === ']' ? -1 : 0;

const lineBreak = (depth: number): string => `\n${'  '.repeat(depth)}`;
