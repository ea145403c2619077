import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Texts of at least this many bytes leave so much garbage that it is worth its collection. */
export const largeBytes = 1_048_576;

let collect: (() => void) | null = null;

/**
 * Collects the garbage of this thread, and gives its memory back to the system. V8 itself does so only when a thread
 * works on, and an idle one would keep the heap that its largest text took.
 */
export function giveMemoryBack(): void {
  collect ??= collector();
  collect();
}

function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
