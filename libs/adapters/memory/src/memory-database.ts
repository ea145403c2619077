import type {
  AccessRequest,
  AccountState,
  AuditEntry,
  Collection,
  CollectionId,
  DayUse,
  Effects,
  Embedding,
  Grant,
  Group,
  GroupClaims,
  GroupId,
  Instant,
  Job,
  JobId,
  NewJob,
  NoticeTask,
  OneTimeCode,
  Operation,
  OperationBlock,
  Override,
  PackedText,
  Profile,
  ProfileId,
  ReindexRun,
  RequestId,
  SearchModel,
  ServiceAccountId,
  StoredKey,
  Tier,
} from '@portico/domain';

/**
 * The state that all memory stores share. A store changes it within one synchronous stretch, and only after everything
 * that may throw: so each change is atomic, and changes never interleave.
 */
export interface MemoryDatabase {
  readonly profiles: Map<ProfileId, Profile>;
  readonly keys: Map<ProfileId, StoredKey>;
  readonly collections: Map<CollectionId, Collection>;
  readonly documents: Map<CollectionId, PackedText>;
  readonly operations: Map<CollectionId, StoredOperations>;
  /** By collection and model. */
  readonly operationBlocks: Map<string, StoredOperationBlock>;
  /** By profile or group, and collection. */
  readonly grants: Map<ProfileId | GroupId, Map<CollectionId, Grant>>;
  readonly groups: Map<GroupId, Group>;
  /** When an administrator added each member. */
  readonly groupMembers: Map<GroupId, Map<ProfileId, Instant>>;
  readonly claims: Map<ProfileId, GroupClaims>;
  readonly requests: Map<RequestId, AccessRequest>;
  readonly tiers: Map<string, Tier>;
  readonly overrides: Map<number, OwnedOverride>;
  /** In insertion order. */
  entries: AuditEntry[];
  readonly jobs: Map<JobId, StoredJob>;
  /** By collection and model. */
  readonly embeddings: Map<string, StoredEmbedding>;
  readonly models: Map<string, SearchModel>;
  searchModel: string | null;
  lastRun: ReindexRun | null;
  /** By day, profile and collection. */
  readonly uses: Map<string, DayUse>;
  readonly serviceAccounts: Map<ServiceAccountId, AccountState>;
  /** By their digests. */
  readonly oneTimeCodes: Map<string, OneTimeCode>;
  /** The sealed pepper of API keys. */
  pepper: string | null;
  /** A profile's epoch stays when the profile is removed, so that it never falls. */
  readonly grantEpochs: Map<ProfileId | GroupId, number>;
  groupsEpoch: number;
  catalogEpoch: number;
  lastSequence: number;
  lastOperationSequence: number;
  lastOverrideId: number;
  /** Null before the first. */
  expiriesAnnouncedDay: number | null;
  /** Receives the jobs of each change. */
  tellWritten: (jobs: readonly NewJob[]) => void;
}

export interface OwnedOverride {
  readonly profile: ProfileId;
  readonly override: Override;
}

export interface StoredJob {
  readonly job: Job;
  /** Exclusive; null while the job is not leased. */
  readonly leaseUntil: Instant | null;
  /** The error of the last failed attempt; null if none has failed. */
  readonly error: string | null;
  readonly isDeadLetter: boolean;
}

export interface StoredEmbedding {
  readonly embedding: Embedding;
  readonly sequence: number;
}

export interface StoredOperations {
  /** The document that they were read from. */
  readonly digest: string;
  readonly operations: readonly Operation[];
}

export interface StoredOperationBlock {
  readonly block: OperationBlock;
  readonly sequence: number;
}

/** Names what a collection has once for each model. */
export const embeddingKey = (collectionId: CollectionId, modelId: string): string => `${collectionId} ${modelId}`;

export const createMemoryDatabase = (): MemoryDatabase => ({
  profiles: new Map(),
  keys: new Map(),
  collections: new Map(),
  documents: new Map(),
  operations: new Map(),
  operationBlocks: new Map(),
  grants: new Map(),
  groups: new Map(),
  groupMembers: new Map(),
  claims: new Map(),
  requests: new Map(),
  tiers: new Map(),
  overrides: new Map(),
  entries: [],
  jobs: new Map(),
  embeddings: new Map(),
  models: new Map(),
  searchModel: null,
  lastRun: null,
  uses: new Map(),
  serviceAccounts: new Map(),
  oneTimeCodes: new Map(),
  pepper: null,
  grantEpochs: new Map(),
  groupsEpoch: 0,
  catalogEpoch: 0,
  lastSequence: 0,
  lastOperationSequence: 0,
  lastOverrideId: 0,
  expiriesAnnouncedDay: null,
  tellWritten: () => undefined,
});

/** Returns a frozen copy. Typed arrays cannot be frozen, so stores also copy them on the way out. */
export const kept = <T>(value: T): T => freeze(structuredClone(value));

/** Those above `after`, ascending, at most `limit`. */
export const idsAfter = <Id extends string>(ids: readonly Id[], after: Id | null, limit: number): readonly Id[] =>
  ids
    .filter((id) => after === null || id > after)
    .toSorted()
    .slice(0, limit);

/**
 * Makes a change in one synchronous stretch: the record, by `write`, which must not throw, and the effects. Throws
 * `timed_out` and writes nothing if the deadline has expired.
 */
export const commit = (
  database: MemoryDatabase,
  { entries = [], jobs = [], deadline }: Effects,
  write: () => void,
): void => {
  if (jobs.some(({ id }) => database.jobs.has(id))) throw new Error('A job with this id already exists');
  deadline?.beginCommit();
  write();
  for (const entry of entries) database.entries.push(kept(entry));
  for (const job of jobs) {
    if (job.task.kind === 'mail.notice' && askAgain(database, job.task)) continue;
    database.jobs.set(job.id, {
      job: kept({ ...job, attempts: 0 }),
      leaseUntil: null,
      error: null,
      isDeadLetter: false,
    });
  }
  if (jobs.length > 0) database.tellWritten(jobs);
};

/** Counts one more request on the profile's notice; returns whether it has one. */
const askAgain = ({ jobs }: MemoryDatabase, { profileId }: NoticeTask): boolean => {
  for (const stored of jobs.values()) {
    const { task } = stored.job;
    if (task.kind !== 'mail.notice' || task.profileId !== profileId) continue;
    jobs.set(stored.job.id, { ...stored, job: kept({ ...stored.job, task: { ...task, asked: task.asked + 1 } }) });
    return true;
  }
  return false;
};

/** Invalidates what is cached under the profile's grants epoch, which is 0 before any change. */
export const touchGrants = (database: MemoryDatabase, profile: ProfileId | GroupId): void => {
  database.grantEpochs.set(profile, (database.grantEpochs.get(profile) ?? 0) + 1);
};

/** Orders texts by code points; JavaScript's own comparison is by UTF-16 units. */
export const byCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
};
