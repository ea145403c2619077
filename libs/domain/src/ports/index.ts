import type { AccessMatrix } from './access-matrix.ts';
import type { AccessRequestStore } from './access-request-store.ts';
import type { AuditLog } from './audit-log.ts';
import type { CallerLookup } from './caller-lookup.ts';
import type { RandomSource } from './random-source.ts';
import type { Clock } from './clock.ts';
import type { CollectionStore } from './collection-store.ts';
import type { CredentialStore } from './credential-store.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { DocumentReader } from './document-reader.ts';
import type { Egress } from './egress.ts';
import type { Embedder } from './embedder.ts';
import type { EmbeddingJobs } from './embedding-jobs.ts';
import type { EmbeddingStore } from './embedding-store.ts';
import type { ExpiryStore } from './expiry-store.ts';
import type { GrantStore } from './grant-store.ts';
import type { GroupStore } from './group-store.ts';
import type { JobQueue } from './job-queue.ts';
import type { KeyHasher } from './key-hasher.ts';
import type { LimitStore } from './limit-store.ts';
import type { Mailer } from './mailer.ts';
import type { OneTimeCodeStore } from './one-time-code-store.ts';
import type { OperationBlockStore } from './operation-block-store.ts';
import type { OperationEmbedder } from './operation-embedder.ts';
import type { OperationIndex } from './operation-index.ts';
import type { OperationSlicer } from './operation-slicer.ts';
import type { OperationStore } from './operation-store.ts';
import type { Outbox } from './outbox.ts';
import type { Probe } from './probe.ts';
import type { ProfileStore } from './profile-store.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { SealedStore } from './sealed-store.ts';
import type { SearchModels } from './search-models.ts';
import type { ServiceAccountStore } from './service-account-store.ts';
import type { TokenVerifier } from './token-verifier.ts';
import type { UsageStore } from './usage-store.ts';
import type { Cipher } from './cipher.ts';
import type { VectorIndex } from './vector-index.ts';

/** The stores of one database. */
export interface StorePorts {
  readonly callers: CallerLookup;
  readonly profiles: ProfileStore;
  readonly collections: CollectionStore;
  readonly credentials: CredentialStore;
  readonly operations: OperationStore;
  readonly operationBlocks: OperationBlockStore;
  readonly grants: GrantStore;
  readonly groups: GroupStore;
  readonly expiries: ExpiryStore;
  readonly accessMatrix: AccessMatrix;
  readonly requests: AccessRequestStore;
  readonly audit: AuditLog;
  readonly limits: LimitStore;
  readonly embeddings: EmbeddingStore;
  readonly embeddingJobs: EmbeddingJobs;
  readonly models: SearchModels;
  readonly outbox: Outbox;
  readonly deadLetters: DeadLetters;
  readonly sealed: SealedStore;
  readonly usage: UsageStore;
  readonly serviceAccounts: ServiceAccountStore;
  readonly oneTimeCodes: OneTimeCodeStore;
}

/** Everything that the domain needs from the outside. */
export interface Ports extends StorePorts {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly limiter: RateLimiter;
  readonly vectors: VectorIndex;
  /** The embedder of this process's current model, which embeds everything. */
  readonly embedder: Embedder;
  /** Embedders of previously current models that this process still has, because searches may still need them. */
  readonly earlierEmbedders: readonly Embedder[];
  readonly operationEmbedder: OperationEmbedder;
  readonly operationIndex: OperationIndex;
  readonly documents: DocumentReader;
  readonly slicer: OperationSlicer;
  /** Null if this process does not call APIs. */
  readonly egress: Egress | null;
  readonly queue: JobQueue;
  readonly mailer: Mailer;
  readonly tokens: TokenVerifier;
  readonly keys: KeyHasher;
  readonly cipher: Cipher;
  readonly probes: readonly Probe[];
}

export type * from './access-matrix.ts';
export type * from './access-request-store.ts';
export type * from './audit-log.ts';
export type * from './cache.ts';
export type * from './caller-lookup.ts';
export type * from './random-source.ts';
export type * from './clock.ts';
export type * from './collection-store.ts';
export type * from './credential-store.ts';
export type * from './dead-letters.ts';
export type * from './document-reader.ts';
export type * from './effects.ts';
export type * from './egress.ts';
export type * from './embedder.ts';
export type * from './embedding-jobs.ts';
export type * from './embedding-store.ts';
export type * from './expiry-store.ts';
export type * from './grant-store.ts';
export type * from './group-store.ts';
export type * from './job-queue.ts';
export type * from './key-hasher.ts';
export type * from './limit-store.ts';
export type * from './mailer.ts';
export type * from './one-time-code-store.ts';
export type * from './operation-block-store.ts';
export type * from './operation-embedder.ts';
export type * from './operation-index.ts';
export type * from './operation-slicer.ts';
export type * from './operation-store.ts';
export type * from './outbox.ts';
export type * from './probe.ts';
export type * from './profile-store.ts';
export type * from './rate-limiter.ts';
export type * from './sealed-store.ts';
export type * from './search-models.ts';
export type * from './service-account-store.ts';
export type * from './token-verifier.ts';
export type * from './usage-store.ts';
export type * from './cipher.ts';
export type * from './vector-index.ts';
