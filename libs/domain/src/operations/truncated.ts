import { utf8LengthOf } from './draft.ts';
import type { Position, TruncatedPlace } from './growth.ts';
import type { MissingReason } from './references.ts';

/** Returns the list of missing parts, as a JSON text of at most that many bytes, which must be at least 50. */
export function buildTruncatedText(places: readonly TruncatedPlace[], bytesMax: number): string {
  const paths = places.map(({ place, reason }): Path => ({ tokens: pathOf(place).map(escapeToken), reason }));
  // If there are too many, their containers are listed instead; in the end, only the whole response, as the empty
  // pointer.
  let [fittingLength, excessiveLength] = [-1, paths.reduce((max, { tokens }) => Math.max(max, tokens.length), 0) + 1];
  let text = paths.length > 0 ? JSON.stringify([{ pointer: '', reason: 'budget' }]) : '[]';
  while (excessiveLength - fittingLength > 1) {
    const length = Math.floor((fittingLength + excessiveLength) / 2);
    const candidate = listPointers(paths, length, bytesMax);
    if (candidate === null) excessiveLength = length;
    else [fittingLength, text] = [length, candidate];
  }
  return text;
}

/** Returns the list of pointers, each truncated to `length` tokens; null if it does not fit. */
function listPointers(paths: readonly Path[], length: number, bytesMax: number): string | null {
  const entries = new Map<string, string>();
  let bytes = 1;
  for (const { tokens, reason } of paths) {
    const pointer = tokens.slice(0, length).join('');
    const key = `${reason} ${pointer}`;
    if (entries.has(key)) continue;
    const entry = JSON.stringify({ pointer, reason });
    entries.set(key, entry);
    bytes += utf8LengthOf(entry) + 1;
    if (bytes > bytesMax) return null;
  }
  return `[${[...entries.values()].join(',')}]`;
}

interface Path {
  /** The tokens of a JSON Pointer, each with its slash. */
  readonly tokens: readonly string[];
  readonly reason: MissingReason;
}

/** Returns a token of a JSON Pointer (RFC 6901, section 3). */
const escapeToken = (token: string | number): string => `/${`${token}`.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Returns the path of a position: the names and indexes from the root to it. */
export function pathOf(place: Position | null): readonly (string | number)[] {
  const path: (string | number)[] = [];
  for (let step = place; step; step = step.parent) path.push(step.key);
  return path.reverse();
}
