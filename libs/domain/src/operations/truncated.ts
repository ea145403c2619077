import { nameBytesOf } from './draft.ts';
import type { Position } from './growth.ts';

/** Returns the list of cut parts, as a JSON text of at most that many bytes, which must be at least 4. */
export function buildTruncatedText(places: readonly Position[], bytesMax: number): string {
  const paths = places.map(pathOf);
  // If there are too many, their containers are listed instead; in the end, only the whole response, as the empty
  // pointer.
  let [fittingLength, excessiveLength] = [0, paths.reduce((max, path) => Math.max(max, path.length), 0) + 1];
  let text = paths.length > 0 ? '[""]' : '[]';
  while (excessiveLength - fittingLength > 1) {
    const length = (fittingLength + excessiveLength) >>> 1;
    const candidate = listPointers(paths, length, bytesMax);
    if (candidate === null) excessiveLength = length;
    else [fittingLength, text] = [length, candidate];
  }
  return text;
}

/** Returns the list of pointers, each truncated to `length` tokens; null if it does not fit. */
function listPointers(paths: readonly Path[], length: number, bytesMax: number): string | null {
  const pointers = new Set<string>();
  let bytes = 1;
  for (const path of paths) {
    const pointer = pointerOf(path.slice(0, length));
    if (pointers.has(pointer)) continue;
    pointers.add(pointer);
    bytes += nameBytesOf(pointer);
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
  for (let step: Position | null = place; step; step = step.parent) path.push(step.key);
  return path.reverse();
}
