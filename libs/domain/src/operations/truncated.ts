import { utf8Length } from './draft.ts';
import type { Place } from './growth.ts';

/** The list of what was cut, as a JSON text of at most that many bytes, which must be at least 4. */
export function truncatedText(cuts: readonly Place[], bytesMax: number): string {
  const paths = cuts.map(pathOf);
  const deepest = Math.max(0, ...paths.map((path) => path.length));
  // If they are too many, what holds them is named instead; at last the whole answer, by the empty pointer.
  for (let length = deepest; length > 0; length--) {
    const text = JSON.stringify([...new Set(paths.map((path) => pointerOf(path.slice(0, length))))]);
    if (utf8Length(text) <= bytesMax) return text;
  }
  return paths.length > 0 ? '[""]' : '[]';
}

/** JSON Pointer (RFC 6901, section 3). */
const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((token) => `/${`${token}`.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Place | null = place; at; at = at.up) path.unshift(at.key);
  return path;
}
