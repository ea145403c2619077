/** A JSON Schema format: the message for a string that violates it, and the check. */
export interface Format {
  readonly message: string;
  readonly accepts: (text: string) => boolean;
}

/**
 * The formats in the official schemas that can be checked. `media-range` is omitted: it applies to the keys of
 * `content`, where documents use any value that their servers send.
 */
export const formats: Readonly<Record<string, Format>> = {
  'uri-reference': { message: 'must be a URI reference', accepts: isUriReference },
  uri: { message: 'must be an absolute URI', accepts: (text) => schemePattern.test(text) && isUriReference(text) },
  email: { message: 'must be an email address', accepts: isEmail },
  regex: { message: 'must be a regular expression', accepts: isRegularExpression },
};

const schemePattern = /^[a-z][a-z0-9+.-]*:/i;

/** Checks the characters and components (RFC 3986, section 4.1), but not scheme-specific rules. */
function isUriReference(text: string): boolean {
  // Two searches for invalid parts, which need no memory, however long the text is.
  if (/[^a-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/i.test(text) || /%(?![0-9a-f]{2})/i.test(text)) return false;
  const fragment = text.indexOf('#');
  if (fragment !== -1 && text.includes('#', fragment + 1)) return false;
  // A colon in the first segment marks the end of a scheme.
  const firstSegment = /^[^/?#]*/.exec(text)?.[0] ?? '';
  return !firstSegment.includes(':') || schemePattern.test(text);
}

function isEmail(text: string): boolean {
  // No address is longer (RFC 5321, section 4.5.3.1), so longer strings are not searched.
  return text.length <= 254 && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text);
}

/** Accepts regular expressions in either ECMA-262 grammar. The expression is only compiled, never run. */
function isRegularExpression(text: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return Boolean(new RegExp(text, flags));
    } catch {
      return false; // The expression is invalid in this grammar.
    }
  });
}
