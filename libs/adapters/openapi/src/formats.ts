/** A JSON Schema format: the message if a string violates it, and the check. */
export interface Format {
  readonly must: string;
  readonly accepts: (text: string) => boolean;
}

/**
 * The formats in the official schemas that can be checked. `media-range` is absent: it applies to the names in
 * `content`, where documents put any value that their servers send.
 */
export const formats: Readonly<Record<string, Format>> = {
  'uri-reference': { must: 'must be a URI reference', accepts: isUriReference },
  uri: { must: 'must be an absolute URI', accepts: (text) => scheme.test(text) && isUriReference(text) },
  email: { must: 'must be an e-mail address', accepts: isEmail },
  regex: { must: 'must be a regular expression', accepts: isRegularExpression },
};

const scheme = /^[a-z][a-z0-9+.-]*:/i;

/** Checks the characters and components (RFC 3986, section 4.1), but no scheme-specific rules. */
function isUriReference(text: string): boolean {
  // Two searches for forbidden parts: they need no memory, regardless of the length of the text.
  if (/[^a-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/i.test(text) || /%(?![0-9a-f]{2})/i.test(text)) return false;
  const fragment = text.indexOf('#');
  if (fragment !== -1 && text.includes('#', fragment + 1)) return false;
  // A colon in the first segment ends a scheme.
  const first = /^[^/?#]*/.exec(text)?.[0] ?? '';
  return !first.includes(':') || scheme.test(text);
}

function isEmail(text: string): boolean {
  // RFC 5321, section 4.5.3.1: no address is longer, so longer strings are not searched.
  return text.length <= 254 && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*$/.test(text);
}

/** Accepts either grammar of ECMA-262. The expression is only compiled, never run. */
function isRegularExpression(text: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return Boolean(new RegExp(text, flags));
    } catch {
      return false; // Invalid in this grammar.
    }
  });
}
