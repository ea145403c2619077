import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Texts of at least this many bytes leave enough garbage to be worth collecting. */
export const largeBytes = 1_048_576;

let collect: (() => void) | null = null;

/**
 * Collects the garbage of this thread and returns its memory to the operating system. V8 does so only while a thread is
 * working; an idle thread would retain the heap that its largest text needed.
 */
export function releaseMemory(): void {
  collect ??= createCollector();
  collect();
}

function createCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
