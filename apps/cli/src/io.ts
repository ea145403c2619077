import type { Readable, Writable } from 'node:stream';

/** The streams that the tool reads and writes: those of its process, or others in tests. */
export interface Io {
  readonly stdin: Readable & MaybeTerminal;
  readonly stdout: Writable & MaybeTerminal;
  readonly stderr: Writable & MaybeTerminal;
}

interface MaybeTerminal {
  readonly isTTY?: boolean;
  /** Its width. */
  readonly columns?: number;
}
