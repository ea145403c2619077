import type {
  DocumentReader,
  JobQueue,
  Mailer,
  Ports,
  Probe,
  RateLimiter,
  StorePorts,
  TokenVerifier,
  VectorIndex,
} from '@portico/domain';
import type { LocalIssuer } from '@portico/identity';
import type { RedisBodyStore, RedisConnection } from '@portico/redis';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Duties } from '../process-role.ts';

/** Keeps small texts beside the data, for parts of the composition. */
export interface KeyValueStore {
  /** Null where there is none. */
  get(name: string): Promise<string | null>;
  put(name: string, value: string): Promise<void>;
  /** Stores the value unless there is one; returns the one that is stored then. */
  putIfAbsent(name: string, value: string): Promise<string>;
}

/** A database that was opened: the stores on it, and what the composition keeps there. */
export interface OpenedDatabase {
  readonly stores: StorePorts;
  readonly settings: KeyValueStore;
  readonly probe: Probe;
}

/** What an index that is kept elsewhere needs besides being searched. */
export interface IndexUpkeep {
  /** Compares it with the database in the background, so that the first search finds it ready. */
  prepare(modelId: string): void;
  /** Makes it anew from the database while the old one still answers; says how many vectors it has written. */
  rebuild(modelId: string, onProgress: (written: number) => void): Promise<void>;
}

/** Everything that the container holds, by its key: one place says what there is. */
export interface Parts extends Omit<Ports, 'probes' | 'tokens' | 'mailer' | 'limiter' | 'vectors' | keyof StorePorts> {
  readonly config: Config;
  readonly duties: Duties;
  readonly logger: Logger;
  readonly database: OpenedDatabase;
  /** Counts requests; the probe is of a server that does. */
  readonly limiter: RateLimiter & { readonly probe?: Probe };
  /** Who judges identity tokens; the probe is of an issuer that is somewhere else. */
  readonly identity: { readonly verifier: TokenVerifier; readonly probe: Probe | null };
  readonly documents: DocumentReader;
  readonly vectors: VectorIndex & Partial<IndexUpkeep>;
  /** Who hands over jobs; the probe is of a server that does. */
  readonly queue: JobQueue & { readonly probe?: Probe };
  /** Who sends mails; the probe is of an SMTP server. */
  readonly mail: { readonly mailer: Mailer; readonly probe: Probe | null };
  /** The connection that limiter and bodies share; there only where Redis is configured. */
  readonly redis: RedisConnection;
  /** As `redis`. */
  readonly bodyStore: RedisBodyStore;
  readonly secretsKey: { readonly current: Uint8Array; readonly previous: readonly Uint8Array[] };
  /** Null where the local issuer is off. */
  readonly localIssuer: LocalIssuer | null;
}

export type PartName = keyof Parts;

/** What an adapter's module does to be part of a composition. */
export type Module = (provide: Provide) => void;

export interface Provide {
  /**
   * Says how the thing with this key is made from the things with those keys. The types of both follow from the
   * registry, so a wrong dependency does not compile. `close` runs at the end, in the reverse order of making.
   */
  <K extends PartName, const Needs extends readonly PartName[]>(
    key: K,
    needs: Needs,
    make: (
      ...things: { [At in keyof Needs]: Parts[Needs[At]] }
    ) => Parts[K] | Closable<Parts[K]> | Promise<Parts[K] | Closable<Parts[K]>>,
  ): void;
}

/** A thing with what has to be done when it is no longer used. */
export class Closable<Thing> {
  readonly thing: Thing;
  readonly close: () => Promise<void> | void;

  constructor(thing: Thing, close: () => Promise<void> | void) {
    this.thing = thing;
    this.close = close;
  }
}

/** What a module of a server is only loaded with; that it is absent is a defect of the composition. */
export const configured = <T>(thing: T | null, variable: string): T => {
  if (thing === null) throw new Error(`${variable} is not set`);
  return thing;
};
