/** A tag with its attributes. It ends before the next one, so that looking for all of them takes time in proportion to the text. */
const tag = /<(\/?)([a-z][a-z0-9]*)((?:\s[^<>]*)?)\/?>/gi;

/** What stands for a tag, by its name in lower case; a paragraph's ends are alike. */
const replacements: Readonly<Record<string, string>> = {
  br: '  \n',
  ...Object.fromEntries(['strong', 'b'].map((name) => [name, '**'])),
  ...Object.fromEntries(['em', 'i'].map((name) => [name, '*'])),
  code: '`',
  ...Object.fromEntries(
    ['p', 'div', 'ul', 'ol', 'table', 'tbody', 'thead', 'tr', 'section'].map((name) => [name, '\n\n']),
  ),
  ...Object.fromEntries(['span', 'td', 'th', 'a'].map((name) => [name, ' '])),
};

const heading = /^h[1-6]$/;

/** The text up to the tag that closes this one, if no other tag comes before. */
const contentFrom = (text: string, from: number, name: string): string | null => {
  const end = text.indexOf('<', from);
  return end >= 0 && text.slice(end, end + name.length + 3).toLowerCase() === `</${name}>`
    ? text.slice(from, end)
    : null;
};

/**
 * Descriptions are Markdown with some HTML in it, or HTML alone. The tags that have a form in Markdown get it; all others
 * stay and are shown as the text that they are, since `<account>` may be one. Nothing relies on this for safety.
 */
export const markdownOf = (description: string): string => {
  const text = withoutComments(description);
  const parts: string[] = [];
  let end = 0;
  for (const found of text.matchAll(tag)) {
    if (found.index < end) continue;
    const [whole, slash = '', tagName = '', attributes = ''] = found;
    const name = tagName.toLowerCase();
    const after = found.index + whole.length;
    const content = slash === '' && (name === 'a' || heading.test(name)) ? contentFrom(text, after, name) : null;
    const replacement = content === null ? markOf(name, slash) : elementOf(name, attributes, content);
    if (replacement === null) continue;
    parts.push(text.slice(end, found.index), replacement);
    end = content === null ? after : after + content.length + name.length + 3;
  }
  return [...parts, text.slice(end)]
    .join('')
    .replace(/\n- +/g, '\n- ')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};

/** Null for a tag that has no form in Markdown. */
const markOf = (name: string, slash: string): string | null =>
  name === 'li' ? (slash === '' ? '\n- ' : ' ') : (replacements[name] ?? null);

/** A link or a heading, of which only text stands between its tags. */
const elementOf = (name: string, attributes: string, content: string): string => {
  if (name !== 'a') return `\n\n**${content}**\n\n`;
  const address = /\shref="([^"<>\s]*)"/i.exec(attributes)?.[1] ?? '';
  return /^https?:/i.test(address) ? `[${content}](${address})` : content;
};

const withoutComments = (text: string): string => {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const begin = text.indexOf('<!--', from);
    const end = begin < 0 ? -1 : text.indexOf('-->', begin + 4);
    if (end < 0) return parts.join('') + text.slice(from);
    parts.push(text.slice(from, begin));
    from = end + 3;
  }
};

/** A line of a list shows less. */
const lineMax = 600;

/** Its beginning as plain text in one line, for lists. */
export const lineOf = (description: string): string =>
  markdownOf(description.slice(0, lineMax))
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`#>_]{1,3}/g, '')
    .replace(/\s+/g, ' ')
    .trim();
