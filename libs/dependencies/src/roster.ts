/** A process that uses a server, which several installations may share. */
export interface LiveProcess {
  /** The id of its installation. */
  readonly installation: string;
  /** The UUID of the process. */
  readonly process: string;
  /** The time of its last announcement, in milliseconds since 1970. */
  readonly at: number;
}

/** The list of processes that use such a server. It is stored there, and is the only thing that installations share. */
export interface Roster {
  /** Announces that a process is alive, and removes processes that stopped announcing themselves. */
  announce(self: LiveProcess): Promise<void>;
  /** Returns the processes of all installations that announced themselves within `livenessMs`. */
  liveProcesses(now: number): Promise<readonly LiveProcess[]>;
  leave(self: LiveProcess): Promise<void>;
}

/** A process that has not announced itself for this long is considered dead. */
export const livenessMs = 60_000;
