import { constants, getPriority, setPriority } from 'node:os';

/**
 * Number of nice levels. When this thread and a request thread compete for a processor, this one gets a third of the
 * other's time.
 */
const steps = 5;

/**
 * Lowers the priority of this thread below the threads that respond to requests, until it exits. Only Linux has a
 * priority per thread (setpriority(2)); elsewhere, the call would affect the whole process. If the system call is not
 * allowed, as in some sandboxes, the priority does not change.
 */
export function lowerThreadPriority(setThreadPriority = setPriority): void {
  if (process.platform !== 'linux') return;
  try {
    setThreadPriority(0, Math.min(constants.priority.PRIORITY_LOW, getPriority(0) + steps));
  } catch {
    // Requests then wait longer, but documents are still read.
  }
}
