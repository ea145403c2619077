import { constants, getPriority, setPriority } from 'node:os';

/** A third of the time that a thread of requests gets, where both want a processor. */
const steps = 5;

/**
 * Lets the threads that answer requests have the processor before this one, for as long as it lives. Only Linux has a
 * priority for each thread (setpriority(2)); elsewhere it would be that of the process. Where the system call is not
 * allowed, as in some sandboxes, the thread keeps its priority.
 */
export function giveWay(set = setPriority): void {
  if (process.platform !== 'linux') return;
  try {
    set(0, Math.min(constants.priority.PRIORITY_LOW, getPriority(0) + steps));
  } catch {
    // Others wait longer then, and documents are read all the same.
  }
}
