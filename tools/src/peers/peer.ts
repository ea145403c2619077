import type { BenchRequest } from '../bench/connection.ts';
import type { Subject } from '../bench/subject.ts';
import type { Packages } from './packages.ts';

/** A collection, as every product stores it. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** An OpenAPI document as JSON text. */
  readonly document: string;
}

/** The rows, and which of them are read by id. */
export interface Rows {
  readonly all: readonly Row[];
  /** 10 KB. */
  readonly small: Row;
  /** 100 KB. */
  readonly large: Row;
}

export const readNames = ['collection of 10 KB', 'collection of 100 KB', 'list of 100'] as const;
export type ReadName = (typeof readNames)[number];

/** A way of asking a server for a read. */
export interface ReadWay {
  /** As it stands in the report. */
  readonly name: string;
  readonly subject: Subject;
  readonly request: BenchRequest;
}

/** A running peer, in one or several settings. */
export interface RunningPeer {
  readonly waysOf: (read: ReadName) => readonly ReadWay[];
  readonly end: () => Promise<void>;
}

/** A product that serves rows of a table over HTTP. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  readonly packages: Packages;
  /** How it is set up, a sentence each. */
  readonly settings: readonly string[];
  /** Fills a database in the new folder `data`, and starts it; the packages are in `installed`. */
  readonly start: (installed: string, data: string, rows: Rows) => Promise<RunningPeer>;
}
