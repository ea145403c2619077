/** A tag with its attributes. It cannot contain another tag, so that finding all tags takes linear time. */
const tag = /<(\/?)([a-z][a-z0-9]*)((?:\s[^<>]*)?)\/?>/gi;

/** The Markdown for opening and closing tags, by lower-case name. */
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

/** Returns the text up to the closing tag, or null if another tag comes first. */
const contentFrom = (text: string, from: number, name: string): string | null => {
  const end = text.indexOf('<', from);
  return end >= 0 && text.slice(end, end + name.length + 3).toLowerCase() === `</${name}>`
    ? text.slice(from, end)
    : null;
};

/**
 * Descriptions are Markdown with some HTML, or only HTML. Converts tags that have an equivalent in Markdown. All others
 * are kept and shown as text, since text such as `<account>` may look like a tag. This is not a security measure.
 */
export const markdownOf = (description: string): string => {
  const text = removeComments(description);
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(tag)) {
    if (match.index < end) continue;
    const [tagText, slash = '', tagName = '', attributes = ''] = match;
    const name = tagName.toLowerCase();
    const tagEnd = match.index + tagText.length;
    const content = slash === '' && (name === 'a' || heading.test(name)) ? contentFrom(text, tagEnd, name) : null;
    const replacement = content === null ? markOf(name, slash) : elementOf(name, attributes, content);
    if (replacement === null) continue;
    parts.push(text.slice(end, match.index), replacement);
    end = content === null ? tagEnd : tagEnd + content.length + name.length + 3;
  }
  return [...parts, text.slice(end)]
    .join('')
    .replace(/\n- +/g, '\n- ')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};

/** Returns the Markdown for a tag; null if there is no equivalent. */
const markOf = (name: string, slash: string): string | null =>
  name === 'li' ? (slash === '' ? '\n- ' : ' ') : (replacements[name] ?? null);

/** Converts a link or a heading that contains only text. */
const elementOf = (name: string, attributes: string, content: string): string => {
  if (name !== 'a') return `\n\n**${content}**\n\n`;
  const address = /\shref="([^"<>\s]*)"/i.exec(attributes)?.[1] ?? '';
  return /^https?:/i.test(address) ? `[${content}](${address})` : content;
};

const removeComments = (text: string): string => {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf('<!--', from);
    const end = start < 0 ? -1 : text.indexOf('-->', start + 4);
    if (end < 0) return parts.join('') + text.slice(from);
    parts.push(text.slice(from, start));
    from = end + 3;
  }
};

/** The number of characters to convert; a line in a list shows fewer. */
const sourceMax = 600;

/** Returns the beginning of a description as one line of plain text, for lists. */
export const lineOf = (description: string): string =>
  markdownOf(description.slice(0, sourceMax))
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`#>_]{1,3}/g, '')
    .replace(/\s+/g, ' ')
    .trim();
