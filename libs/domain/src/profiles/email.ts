/**
 * Returns an e-mail as it is stored and displayed: composed (NFC), ASCII letters in lower case, without surrounding
 * whitespace.
 */
export const toStoredEmail = (email: string): string => lowerCaseAscii(email.normalize('NFC').trim());

/**
 * Returns a key that is the same for all addresses of one mailbox (specification, section 1): composed, ASCII letters
 * in lower case, the domain as A-labels (UTS 46). Whitespace around an address makes it a different one. Returns null
 * for an invalid address, which equals none. Also invalid are addresses with a character such as the Kelvin sign, which
 * composition maps to an ASCII letter, and addresses with a domain that has characters ignored by UTS 46, dots of other
 * scripts, or other digits for an IPv4 address.
 */
export const emailKey = (email: string): string | null => {
  if (email === email.trim() && ![...email].some(becomesAscii)) {
    const composed = email.normalize('NFC');
    const at = composed.lastIndexOf('@');
    const domain = at > 0 ? toAsciiDomain(composed.slice(at + 1)) : null;
    if (domain !== null) return `${lowerCaseAscii(composed.slice(0, at))}@${domain}`;
  }
  return null;
};

/** Whether both are addresses of the same mailbox. */
export const isSameEmail = (a: string, b: string): boolean => {
  const key = emailKey(a);
  return key !== null && key === emailKey(b);
};

const lowerCaseAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
const becomesAscii = (character: string): boolean => !isAscii(character) && isAscii(character.normalize('NFC'));

/**
 * The characters of a host name on the web, without those with a meaning in a URL, invisible characters and the dots of
 * other scripts (RFC 3490, section 3.1), which would make different texts the same domain.
 */
const domainForm = /^(?:[A-Za-z0-9._-]|[^\0-\x9f\s\p{Default_Ignorable_Code_Point}\u3002\uff0e\uff61])+$/u;
const ipv4Form = /^\d+(?:\.\d+){3}$/;

/** A pure function of every JavaScript runtime, including browsers. */
declare const URL: { parse(address: string): { readonly hostname: string } | null };

/** The web's rules for host names are those of UTS 46; a domain that they reject stays unchanged. */
const toAsciiDomain = (domain: string): string | null => {
  if (!domainForm.test(domain)) return null;
  if (isAscii(domain)) return lowerCaseAscii(domain);
  const host = URL.parse(`http://${domain}/`)?.hostname ?? lowerCaseAscii(domain);
  return ipv4Form.test(host) ? null : host;
};
