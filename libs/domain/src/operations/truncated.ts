import { nameBytes } from './draft.ts';
import type { Place } from './growth.ts';

/** The list of what was cut, as a JSON text of at most that many bytes, which must be at least 4. */
export function truncatedText(cuts: readonly Place[], bytesMax: number): string {
  const paths = cuts.map(pathOf);
  // If they are too many, what holds them is named instead; at last the whole answer, by the empty pointer.
  let [fitting, tooLong] = [0, paths.reduce((most, path) => Math.max(most, path.length), 0) + 1];
  let text = paths.length > 0 ? '[""]' : '[]';
  while (tooLong - fitting > 1) {
    const length = (fitting + tooLong) >>> 1;
    const listed = listWithin(paths, length, bytesMax);
    if (listed === null) tooLong = length;
    else [fitting, text] = [length, listed];
  }
  return text;
}

/** The pointers, each of at most so many tokens; null if they do not fit. */
function listWithin(paths: readonly Path[], length: number, bytesMax: number): string | null {
  const pointers = new Set<string>();
  let bytes = 1;
  for (const path of paths) {
    const pointer = pointerOf(path.slice(0, length));
    if (pointers.has(pointer)) continue;
    pointers.add(pointer);
    bytes += nameBytes(pointer);
    if (bytes > bytesMax) return null;
  }
  return JSON.stringify([...pointers]);
}

type Path = readonly (string | number)[];

/** JSON Pointer (RFC 6901, section 3). */
const pointerOf = (path: Path): string =>
  path.map((token) => `/${`${token}`.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function pathOf(place: Place): Path {
  const path: (string | number)[] = [];
  for (let at: Place | null = place; at; at = at.up) path.push(at.key);
  return path.reverse();
}
