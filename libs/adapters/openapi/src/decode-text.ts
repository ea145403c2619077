import { createInvalidBodyError, requireSize, requireUtf8 } from './read-json.ts';

/**
 * Returns a text in UTF-8, without a byte order mark. Detects the encoding as YAML 1.2 does (section 5.2), which covers
 * every encoding of JSON too: UTF-8, UTF-16 and UTF-32, with or without a byte order mark. Throws `invalid_body` if the
 * bytes are not valid in that encoding.
 */
export function decodeText(bytes: Uint8Array): Uint8Array {
  const encoding = detectEncoding(bytes);
  if (encoding === 'utf-8') return requireUtf8(bytes);
  requireSize(bytes);
  const text = encoding.startsWith('utf-16') ? decodeUtf16(bytes, encoding) : decodeUtf32(bytes, encoding);
  if (text === null)
    throw createInvalidBodyError(`the text is not valid ${encoding.startsWith('utf-16') ? 'UTF-16' : 'UTF-32'}`);
  return Buffer.from(text);
}

type Encoding = 'utf-8' | 'utf-16be' | 'utf-16le' | 'utf-32be' | 'utf-32le';

/** The first character of a document is a byte order mark or an ASCII character. */
function detectEncoding([first, second, third, fourth]: Uint8Array): Encoding {
  const starts = (...expected: readonly number[]) =>
    [first, second, third, fourth].slice(0, expected.length).every((byte, index) => byte === expected[index]);
  if (starts(0, 0, 0xfe, 0xff) || (starts(0, 0, 0) && fourth)) return 'utf-32be';
  if (starts(0xff, 0xfe, 0, 0) || (first && second === 0 && third === 0 && fourth === 0)) return 'utf-32le';
  if (starts(0xfe, 0xff) || (first === 0 && second)) return 'utf-16be';
  if (starts(0xff, 0xfe) || (first && second === 0)) return 'utf-16le';
  return 'utf-8';
}

function decodeUtf16(bytes: Uint8Array, encoding: Encoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** The number of characters to collect before they are joined. */
const chunkLength = 4_096;

function decodeUtf32(bytes: Uint8Array, encoding: Encoding): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length % 4 !== 0) return null;
  let text = '';
  let characters: number[] = [];
  for (let offset = 0; offset < bytes.length; offset += 4) {
    const character = view.getUint32(offset, encoding === 'utf-32le');
    if (character > 0x10_ffff || (character >= 0xd800 && character <= 0xdfff)) return null;
    if (offset > 0 || character !== 0xfeff) characters.push(character);
    if (characters.length < chunkLength) continue;
    text += String.fromCodePoint(...characters);
    characters = [];
  }
  return text + String.fromCodePoint(...characters);
}
