/** An e-mail as it is stored and shown: composed (NFC), ASCII letters in lower case, without blanks around it. */
export const storedEmail = (email: string): string => inLowerCase(email.normalize('NFC').trim());

/**
 * What two addresses of one mailbox have in common (specification, section 1): composed, ASCII letters in lower case,
 * the domain as A-labels (UTS 46). Blanks around an address make it another one. Null for a text that is no address,
 * which is equal to none. So is one with a character such as the Kelvin sign, which composing makes an ASCII letter, and
 * one whose domain has characters that UTS 46 ignores, dots of other scripts, or other digits for an IPv4 address.
 */
export const emailKey = (email: string): string | null => {
  if (email === email.trim() && ![...email].some(becomesAscii)) {
    const composed = email.normalize('NFC');
    const at = composed.lastIndexOf('@');
    const domain = at > 0 ? asciiDomain(composed.slice(at + 1)) : null;
    if (domain !== null) return `${inLowerCase(composed.slice(0, at))}@${domain}`;
  }
  return null;
};

/** Whether both are addresses of one mailbox. */
export const isSameEmail = (a: string, b: string): boolean => {
  const key = emailKey(a);
  return key !== null && key === emailKey(b);
};

const inLowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);
const becomesAscii = (character: string): boolean => !isAscii(character) && isAscii(character.normalize('NFC'));

/**
 * What a host name of the web may have, of which nothing has a meaning in an address of the web; without what cannot be
 * seen and the dots of other scripts (RFC 3490, section 3.1), which would make different texts one domain.
 */
const domainForm = /^(?:[A-Za-z0-9._-]|[^\0-\x9f\s\p{Default_Ignorable_Code_Point}\u3002\uff0e\uff61])+$/u;
const ipv4Form = /^\d+(?:\.\d+){3}$/;

/** A pure function of every JavaScript runtime, browsers included. */
declare const URL: { parse(address: string): { readonly hostname: string } | null };

/** The web's rules for host names are those of UTS 46; a domain that they refuse stays as it is. */
const asciiDomain = (domain: string): string | null => {
  if (!domainForm.test(domain)) return null;
  if (isAscii(domain)) return inLowerCase(domain);
  const host = URL.parse(`http://${domain}/`)?.hostname ?? inLowerCase(domain);
  return ipv4Form.test(host) ? null : host;
};
