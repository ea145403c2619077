import { nameBytes } from './draft.ts';
import type { Position } from './growth.ts';

/** Returns the list of cut parts, as a JSON text of at most that many bytes, which must be at least 4. */
export function truncatedText(cuts: readonly Position[], bytesMax: number): string {
  const paths = cuts.map(pathOf);
  // If there are too many, their containers are listed instead; in the end, only the whole response, as the empty
  // pointer.
  let [fitting, tooLong] = [0, paths.reduce((max, path) => Math.max(max, path.length), 0) + 1];
  let text = paths.length > 0 ? '[""]' : '[]';
  while (tooLong - fitting > 1) {
    const length = (fitting + tooLong) >>> 1;
    const candidate = listWithin(paths, length, bytesMax);
    if (candidate === null) tooLong = length;
    else [fitting, text] = [length, candidate];
  }
  return text;
}

/** Returns the list of pointers, each truncated to `length` tokens; null if it does not fit. */
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

/** Returns the JSON Pointer of a path (RFC 6901, section 3). */
const pointerOf = (path: Path): string =>
  path.map((token) => `/${`${token}`.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function pathOf(place: Position): Path {
  const path: (string | number)[] = [];
  for (let at: Position | null = place; at; at = at.parent) path.push(at.key);
  return path.reverse();
}
