/** A JSON Schema format: what a text must be, and whether it is. */
export interface Format {
  readonly must: string;
  readonly accepts: (text: string) => boolean;
}

/**
 * The formats in the official schemas that can be checked. Not `media-range`: it applies to the names in `content`,
 * where documents put whatever their servers send.
 */
export const formats: Readonly<Record<string, Format>> = {
  'uri-reference': { must: 'must be a URI reference', accepts: isUriReference },
  uri: { must: 'must be an absolute URI', accepts: (text) => scheme.test(text) && isUriReference(text) },
  email: { must: 'must be an e-mail address', accepts: isEmail },
  regex: { must: 'must be a regular expression', accepts: isRegularExpression },
};

const scheme = /^[a-z][a-z0-9+.-]*:/i;

/** By the characters and components of RFC 3986, section 4.1; scheme-specific rules are not checked. */
function isUriReference(text: string): boolean {
  // Two searches for forbidden parts: they need no memory, however long the text.
  if (/[^a-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/i.test(text) || /%(?![0-9a-f]{2})/i.test(text)) return false;
  const fragment = text.indexOf('#');
  if (fragment !== -1 && text.includes('#', fragment + 1)) return false;
  // A colon in the first segment ends a scheme.
  const first = /^[^/?#]*/.exec(text)?.[0] ?? '';
  return !first.includes(':') || scheme.test(text);
}

function isEmail(text: string): boolean {
  // RFC 5321, section 4.5.3.1: no address is longer, so longer texts are not searched.
  return text.length <= 254 && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text);
}

/** By either grammar of ECMA-262; the expression is only compiled, never run. */
function isRegularExpression(text: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return Boolean(new RegExp(text, flags));
    } catch {
      return false; // Invalid in this grammar.
    }
  });
}
