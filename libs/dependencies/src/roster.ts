/** A process that uses a server, which several installations may share. */
export interface LiveProcess {
  /** The id of the process's installation. */
  readonly installation: string;
  /** The UUID of the process. */
  readonly process: string;
  /** The time of the process's last announcement, in milliseconds since 1970. */
  readonly at: number;
}

/**
 * The list of processes that use a shared server. It is stored on that server, and is the only data that installations
 * share.
 */
export interface Roster {
  /** Announces that a process is alive, and removes processes that have stopped announcing themselves. */
  announce(self: LiveProcess): Promise<void>;
  /** Returns the processes of all installations that announced themselves within `livenessMs`. */
  listLiveProcesses(now: number): Promise<readonly LiveProcess[]>;
  leave(self: LiveProcess): Promise<void>;
}

/** The maximum time between announcements. A process that has not announced itself for this long is considered dead. */
export const livenessMs = 60_000;
