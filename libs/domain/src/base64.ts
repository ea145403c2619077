const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes a well-formed text in UTF-8 and base64 with padding (RFC 4648, section 4). */
export const toBase64 = (text: string): string => {
  const bytes = toUtf8(text);
  let encodedText = '';
  for (let start = 0; start < bytes.length; start += 3) {
    const [first = 0, second, third] = bytes.slice(start, start + 3);
    const group = first * 65_536 + (second ?? 0) * 256 + (third ?? 0);
    encodedText += digitAt(group, 3) + digitAt(group, 2);
    encodedText += (second === undefined ? '=' : digitAt(group, 1)) + (third === undefined ? '=' : digitAt(group, 0));
  }
  return encodedText;
};

const digitAt = (group: number, position: number): string => alphabet.charAt(Math.floor(group / 64 ** position) % 64);

/** Returns the UTF-8 bytes, which `encodeURIComponent` writes as `%` and two hexadecimal digits unless they are ASCII. */
const toUtf8 = (text: string): readonly number[] =>
  (encodeURIComponent(text).match(/%[0-9A-F]{2}|[^%]/g) ?? []).map((part) =>
    part.length === 3 ? Number.parseInt(part.slice(1), 16) : part.charCodeAt(0),
  );
