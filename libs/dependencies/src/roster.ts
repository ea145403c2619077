/** A process that uses a server which several installations may share. */
export interface LivingProcess {
  /** The id of its installation. */
  readonly installation: string;
  /** A UUID of its own. */
  readonly process: string;
  /** When it last said so, in milliseconds since 1970. */
  readonly at: number;
}

/** The processes that use such a server, kept there: the one thing that installations share. */
export interface Roster {
  /** Says that a process lives, and forgets those that no longer say so. */
  announce(self: LivingProcess): Promise<void>;
  /** Those that said so within `livingMs`, of all installations. */
  living(now: number): Promise<readonly LivingProcess[]>;
  leave(self: LivingProcess): Promise<void>;
}

/** A process that has not announced itself for so long is gone. */
export const livingMs = 60_000;
