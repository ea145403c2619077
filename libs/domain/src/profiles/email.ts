/**
 * Returns an email address as it is stored and displayed: composed (NFC), with ASCII letters in lower case, and
 * without surrounding whitespace.
 */
export const toStoredEmail = (email: string): string => lowerCaseAscii(email.normalize('NFC').trim());

/**
 * Returns a key that is the same for all addresses of one mailbox (specification, section 1): composed, with ASCII
 * letters in lower case, and with the domain as A-labels (UTS 46). Whitespace around an address makes it a different
 * address. Returns null for an invalid address, which equals no other address. An address is also invalid if it
 * contains a character that composition maps to an ASCII letter, such as the Kelvin sign, or if its domain contains
 * characters ignored by UTS 46, dots from other scripts, or an IPv4 address in other digits.
 */
export const toEmailKey = (email: string): string | null => {
  if (email === email.trim() && ![...email].some(normalizesToAscii)) {
    const normalizedEmail = email.normalize('NFC');
    const atIndex = normalizedEmail.lastIndexOf('@');
    const domain = atIndex > 0 ? toAsciiDomain(normalizedEmail.slice(atIndex + 1)) : null;
    if (domain !== null) return `${lowerCaseAscii(normalizedEmail.slice(0, atIndex))}@${domain}`;
  }
  return null;
};

/** Whether both are addresses of the same mailbox. */
export const isSameEmail = (a: string, b: string): boolean => {
  const key = toEmailKey(a);
  return key !== null && key === toEmailKey(b);
};

const lowerCaseAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
const normalizesToAscii = (character: string): boolean => !isAscii(character) && isAscii(character.normalize('NFC'));

/**
 * The characters of a host name on the web, except those with a meaning in a URL, and except invisible characters and
 * dots from other scripts (RFC 3490, section 3.1), which would turn different texts into the same domain.
 */
const domainPattern = /^(?:[A-Za-z0-9._-]|[^\0-\x9f\s\p{Default_Ignorable_Code_Point}\u3002\uff0e\uff61])+$/u;
const ipv4Pattern = /^\d+(?:\.\d+){3}$/;

/** A pure function that every JavaScript runtime provides, including browsers. */
declare const URL: { parse(address: string): { readonly hostname: string } | null };

/** The web's rules for host names are those of UTS 46; a domain that they reject is left unchanged. */
const toAsciiDomain = (domain: string): string | null => {
  if (!domainPattern.test(domain)) return null;
  if (isAscii(domain)) return lowerCaseAscii(domain);
  const host = URL.parse(`http://${domain}/`)?.hostname ?? lowerCaseAscii(domain);
  return ipv4Pattern.test(host) ? null : host;
};
