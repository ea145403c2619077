import type { Readable, Writable } from 'node:stream';

/** The streams that the tool reads and writes: the process's own, or others in tests. */
export interface Io {
  readonly stdin: Readable & MaybeTerminal;
  readonly stdout: Writable & MaybeTerminal;
  readonly stderr: Writable & MaybeTerminal;
}

interface MaybeTerminal {
  readonly isTTY?: boolean;
  /** The terminal's width, in characters. */
  readonly columns?: number;
}
