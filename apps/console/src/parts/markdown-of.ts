/**
 * Descriptions are Markdown with some HTML in it, or HTML alone. The tags that have a form in Markdown get it; all others
 * stay and are shown as the text that they are, since `<account>` may be one. Nothing relies on this for safety.
 */
export const markdownOf = (description: string): string =>
  description
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<a\s[^>]*?href="([^"<>\s]*)"[^>]*>([^<]*)<\/a>/gi, (_all, address: string, label: string) =>
      /^https?:/i.test(address) ? `[${label}](${address})` : label,
    )
    .replace(/<br\s*\/?>/gi, '  \n')
    .replace(/<\/?(?:strong|b)>/gi, '**')
    .replace(/<\/?(?:em|i)>/gi, '*')
    .replace(/<\/?code>/gi, '`')
    .replace(/<li>\s*/gi, '\n- ')
    .replace(/<h[1-6][^>]*>([^<]*)<\/h[1-6]>/gi, '\n\n**$1**\n\n')
    .replace(/<\/?(?:p|div|ul|ol|table|tbody|thead|tr|section)(?:\s[^>]*)?>/gi, '\n\n')
    .replace(/<\/?(?:li|span|td|th|a)(?:\s[^>]*)?>/gi, ' ')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

/** Its beginning as plain text in one line, for lists. */
export const lineOf = (description: string): string =>
  markdownOf(description)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`#>_]{1,3}/g, '')
    .replace(/\s+/g, ' ')
    .trim();
