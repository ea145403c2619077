import type {
  Cache,
  DocumentReader,
  Egress,
  Embedder,
  JobQueue,
  Mailer,
  OperationEmbedder,
  Ports,
  Probe,
  RateLimiter,
  StorePorts,
  TokenVerifier,
  VectorIndex,
  WebhookEgress,
} from '@portico/domain';
import type { Roster } from '@portico/dependencies';
import type { LocalIssuer } from '@portico/identity';
import type { OllamaEmbedder } from '@portico/ollama';
import type { RedisConnection } from '@portico/redis';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Duties } from '../process-role.ts';

/** Stores small strings in the database for parts of the composition. */
export interface KeyValueStore {
  /** Returns the value, or null if there is none. */
  get(name: string): Promise<string | null>;
  put(name: string, value: string): Promise<void>;
  /** Stores the value unless there is one; returns the stored value. */
  putIfAbsent(name: string, value: string): Promise<string>;
  /** Loads, decides and stores in one transaction; `decide` may run more than once. */
  update(name: string, decide: (value: string | null) => string): Promise<void>;
}

/** An open database: its stores, and the settings of the composition. */
export interface OpenedDatabase {
  readonly stores: StorePorts;
  readonly settings: KeyValueStore;
  readonly probe: Probe;
}

/** Maintains an index outside this process. */
export interface IndexUpkeep {
  /** Syncs the index with the database in the background, so that the first search finds it ready. */
  prepare(modelId: string, asOf: number): void;
  /**
   * Rebuilds the index from the database while the old one still serves searches; reports the number of vectors
   * written.
   */
  rebuild(modelId: string, onProgress: (writtenVectors: number) => void): Promise<void>;
}

/** All parts in the container, by key. */
export interface Parts extends Omit<
  Ports,
  'probes' | 'egress' | 'tokens' | 'mailer' | 'limiter' | 'vectors' | keyof StorePorts
> {
  readonly config: Config;
  readonly duties: Duties;
  readonly logger: Logger;
  readonly database: OpenedDatabase;
  /** The random id of the installation, which is part of all its names in Redis and Qdrant. */
  readonly installation: string;
  /** Counts requests; has a probe if a server counts them. */
  readonly limiter: RateLimiter & { readonly probe?: Probe };
  /** Caches the vectors of queries that a model on a server computed. */
  readonly cache: Cache;
  /** Verifies identity tokens; has a probe if the issuer is external. */
  readonly identity: { readonly verifier: TokenVerifier; readonly probe: Probe | null };
  /** Returns the last known URLs of the configured issuer that a browser uses for signing in. Never waits. */
  readonly issuerEndpoints: () => readonly string[];
  readonly documents: DocumentReader;
  /** Sends calls to APIs; present only if this process makes calls. */
  readonly egress: Egress;
  /** Sends events to webhooks; in every process. */
  readonly webhookEgress: WebhookEgress;
  /** The current embedder comes first. */
  readonly builtIn: {
    readonly embedders: readonly [Embedder, ...Embedder[]];
    readonly operationEmbedder: OperationEmbedder;
  };
  /** The embedder on an Ollama server; present only if such a server is configured. */
  readonly ollama: OllamaEmbedder;
  readonly vectors: VectorIndex & Partial<IndexUpkeep>;
  /** Delivers jobs; has a probe if a server delivers them. */
  readonly queue: JobQueue & { readonly probe?: Probe };
  /** Sends mail; has a probe if an SMTP server sends it. */
  readonly mail: { readonly mailer: Mailer; readonly probe: Probe | null };
  /** The limiter's connection; present only if Redis is configured. */
  readonly redis: RedisConnection;
  /** The processes that use Redis and Qdrant; present only if the server is configured. */
  readonly redisRoster: Roster;
  readonly qdrantRoster: Roster;
  readonly secretsKey: { readonly current: Uint8Array; readonly previous: readonly Uint8Array[] };
  /** Null if the local issuer is off. */
  readonly localIssuer: LocalIssuer | null;
}

export type PartName = keyof Parts;

/** Provides an adapter's parts to the composition. */
export type Module = (provide: Provide) => void;

export interface Provide {
  /**
   * Registers how to create the part `key` from the parts `needs`. Their types follow from `Parts`, so a wrong
   * dependency does not compile. `close` runs at the end, in reverse order of creation.
   */
  <K extends PartName, const Needs extends readonly PartName[]>(
    key: K,
    needs: Needs,
    create: (
      ...dependencies: { [Index in keyof Needs]: Parts[Needs[Index]] }
    ) => Parts[K] | Closable<Parts[K]> | Promise<Parts[K] | Closable<Parts[K]>>,
  ): void;
}

/** A part together with its cleanup. */
export class Closable<Value> {
  readonly value: Value;
  readonly close: () => Promise<void> | void;

  constructor(value: Value, close: () => Promise<void> | void) {
    this.value = value;
    this.close = close;
  }
}

/** Returns the setting that caused a server's module to be loaded; its absence is a bug in the composition. */
export const requireSetting = <T>(setting: T | null, variable: string): T => {
  if (setting === null) throw new Error(`${variable} is not set`);
  return setting;
};
