import { isUtf8 } from 'node:buffer';
import { JsonError, placeOf, PorticoError, scanJson, type Json, type JsonScan } from '@portico/domain';

/** Levels of arrays and objects in each other, counted below a request's body (specification, section 1). */
export const levelsMax = 100;

/**
 * Values in one text, counted before it is parsed. A value takes up to some 170 bytes once it is parsed, whatever its
 * text, so that their number says what a text costs: what passes here stays below the heap of a reading thread. That
 * matters, since a heap that is full in the midst of `JSON.parse` ends the whole process, not the thread. A real document
 * of 20 MB holds 320,000, and none of real density comes to this number in 32 MB.
 */
const valuesMax = 2_000_000;
const bytesMax = 128 * 1_048_576;
const becauseMax = 500;

/** The refusal of a text; a long reason, which may quote the text, is cut. */
export const refused = (because: string, cause?: unknown): PorticoError =>
  new PorticoError('invalid_body', {
    because: because.length > becauseMax ? `${because.slice(0, becauseMax)}…` : because,
    cause,
  });

/** The bytes without a byte order mark, which some editors write. Throws `invalid_body` where they are no UTF-8. */
export function utf8(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength > bytesMax) throw refused('too large to be checked: more than 128 MiB');
  if (!isUtf8(bytes)) throw refused(`the text is not valid UTF-8 (${placeOf(bytes, firstInvalid(bytes))})`);
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** The end of the longest valid beginning of a text that is no valid UTF-8. */
function firstInvalid(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 8) {
    const middle = characterStart(bytes, (valid + invalid) >>> 1);
    if (isUtf8(bytes.subarray(valid, middle))) valid = middle;
    else invalid = middle;
  }
  for (let length = 1; length <= 4; length++) {
    if (valid + length > bytes.length || !isUtf8(bytes.subarray(valid, valid + length))) continue;
    valid += length;
    length = 0;
  }
  return valid;
}

/** That place, or up to three bytes before it, where a character does not begin there (RFC 3629, section 3). */
function characterStart(bytes: Uint8Array, at: number): number {
  for (let start = at; start > at - 4; start--) if (((bytes[start] ?? 0) & 0xc0) !== 0x80) return start;
  return at;
}

/** Where the parts of a JSON text stand. Throws `invalid_body`, by line and column, for what cannot be taken. */
export function scanned(bytes: Uint8Array, nestingMax: number): JsonScan {
  try {
    return scanJson(bytes, { nestingMax, valuesMax });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = placeOf(bytes, error.offset);
    if (error.kind === 'nesting') throw refused(`nested deeper than ${levelsMax} levels at ${place}`, error);
    if (error.kind === 'values') throw refused(`too large to be checked: ${error.message} at ${place}`, error);
    throw refused(`not valid JSON: ${error.message} at ${place}`, error);
  }
}

/** The value of a text that has been scanned. */
export const parsed = (bytes: Uint8Array): Json =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as Json;
