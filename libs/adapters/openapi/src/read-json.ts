import { isUtf8 } from 'node:buffer';
import { JsonError, positionOf, PorticoError, scanJson, type Json, type JsonScan } from '@portico/domain';

/** Maximum number of nested arrays and objects, counted below a request's body (specification, section 1). */
export const levelsMax = 100;

/**
 * Maximum number of values in one text, counted before it is parsed. A parsed value takes up to about 170 bytes,
 * regardless of its text, so this limit ensures that a text fits into the heap of a reader thread. That is essential:
 * if the heap fills up inside `JSON.parse`, the whole process dies, not just the thread. A real document of 20 MB has
 * 320,000 values, and a document of realistic density does not reach this limit within 32 MB.
 */
const valuesMax = 2_000_000;
const bytesMax = 128 * 1_048_576;
const reasonLengthMax = 500;

/** Creates the error for a rejected text. A long reason, which may quote the text, is truncated. */
export const createInvalidBodyError = (reason: string, cause?: unknown): PorticoError =>
  new PorticoError('invalid_body', {
    reason: reason.length > reasonLengthMax ? `${reason.slice(0, reasonLengthMax)}…` : reason,
    cause,
  });

/**
 * Returns the bytes without a byte order mark, which some editors write. Throws `invalid_body` if they are not UTF-8.
 */
export function requireUtf8(bytes: Uint8Array): Uint8Array {
  requireSize(bytes);
  if (!isUtf8(bytes))
    throw createInvalidBodyError(`the text is not valid UTF-8 (${positionOf(bytes, findInvalidOffset(bytes))})`);
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** Throws `invalid_body` if there are too many bytes. */
export function requireSize(bytes: Uint8Array): void {
  if (bytes.byteLength > bytesMax) throw createInvalidBodyError('too large to be checked: more than 128 MiB');
}

/** Returns the end of the longest valid prefix of a text that is not valid UTF-8. */
function findInvalidOffset(bytes: Uint8Array): number {
  let validEnd = 0;
  let invalidEnd = bytes.length;
  while (invalidEnd - validEnd > 8) {
    const middle = findCharacterStart(bytes, (validEnd + invalidEnd) >>> 1);
    if (isUtf8(bytes.subarray(validEnd, middle))) validEnd = middle;
    else invalidEnd = middle;
  }
  for (let length = 1; length <= 4; length++) {
    if (validEnd + length > bytes.length || !isUtf8(bytes.subarray(validEnd, validEnd + length))) continue;
    validEnd += length;
    length = 0;
  }
  return validEnd;
}

/** Returns the start of the character at this offset, up to three bytes before it (RFC 3629, section 3). */
function findCharacterStart(bytes: Uint8Array, offset: number): number {
  for (let start = offset; start > offset - 4; start--) if (((bytes[start] ?? 0) & 0xc0) !== 0x80) return start;
  return offset;
}

/** Finds the parts of a JSON text. Throws `invalid_body`, with line and column, if it is malformed or too large. */
export function scanText(bytes: Uint8Array, nestingMax: number): JsonScan {
  try {
    return scanJson(bytes, { nestingMax, valuesMax });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const position = positionOf(bytes, error.offset);
    if (error.kind === 'nesting')
      throw createInvalidBodyError(`nested deeper than ${levelsMax} levels at ${position}`, error);
    if (error.kind === 'values')
      throw createInvalidBodyError(`too large to be checked: ${error.message} at ${position}`, error);
    throw createInvalidBodyError(`not valid JSON: ${error.message} at ${position}`, error);
  }
}

/** Parses a text that has been scanned. */
export const parseJson = (bytes: Uint8Array): Json =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as Json;
