type Encoding = 'utf-8' | 'utf-16be' | 'utf-16le' | 'utf-32be' | 'utf-32le';

/**
 * Returns a text without its byte order mark; null if the bytes are not valid in their encoding. Detects the encoding as
 * YAML 1.2 does (section 5.2), which covers every encoding of JSON too.
 */
export const decodeText = (bytes: Uint8Array): string | null => {
  const encoding = detectEncoding(bytes);
  if (encoding === 'utf-32be' || encoding === 'utf-32le') return decodeUtf32(bytes, encoding);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
};

/** The first character of a document is a byte order mark or an ASCII character. */
const detectEncoding = ([first, second, third, fourth]: Uint8Array): Encoding => {
  const starts = (...expected: readonly number[]) =>
    [first, second, third, fourth].slice(0, expected.length).every((byte, index) => byte === expected[index]);
  if (starts(0, 0, 0xfe, 0xff) || (starts(0, 0, 0) && fourth)) return 'utf-32be';
  if (starts(0xff, 0xfe, 0, 0) || (first && second === 0 && third === 0 && fourth === 0)) return 'utf-32le';
  if (starts(0xfe, 0xff) || (first === 0 && second)) return 'utf-16be';
  if (starts(0xff, 0xfe) || (first && second === 0)) return 'utf-16le';
  return 'utf-8';
};

const decodeUtf32 = (bytes: Uint8Array, encoding: Encoding): string | null => {
  if (bytes.length % 4 !== 0) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = '';
  for (let offset = 0; offset < bytes.length; offset += 4) {
    const character = view.getUint32(offset, encoding === 'utf-32le');
    if (character > 0x10_ffff || (character >= 0xd800 && character <= 0xdfff)) return null;
    if (offset > 0 || character !== 0xfeff) text += String.fromCodePoint(character);
  }
  return text;
};
