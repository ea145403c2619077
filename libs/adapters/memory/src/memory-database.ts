import type {
  AuditEntry,
  Collection,
  CollectionId,
  Effects,
  Embedding,
  Instant,
  Job,
  JobId,
  NoticeTask,
  Override,
  PackedText,
  Profile,
  ProfileId,
  ReindexRun,
  StoredKey,
  Tier,
} from '@portico/domain';

/**
 * Everything that the memory stores keep, shared by them. A store changes it within one synchronous stretch, and only
 * after everything that may throw: so each change is atomic, and changes never interleave.
 */
export interface MemoryDatabase {
  readonly profiles: Map<ProfileId, Profile>;
  readonly keys: Map<ProfileId, StoredKey>;
  readonly collections: Map<CollectionId, Collection>;
  readonly documents: Map<CollectionId, PackedText>;
  readonly grants: Map<ProfileId, Map<CollectionId, Instant>>;
  readonly tiers: Map<string, Tier>;
  readonly overrides: Map<number, OwnedOverride>;
  /** In the order of insertion. */
  entries: AuditEntry[];
  readonly jobs: Map<JobId, StoredJob>;
  readonly embeddings: Map<CollectionId, StoredEmbedding>;
  lastRun: ReindexRun | null;
  /** Of API keys, sealed. */
  pepper: string | null;
  /** A profile's epoch stays when the profile goes, so that it never falls. */
  readonly grantEpochs: Map<ProfileId, number>;
  catalogEpoch: number;
  lastSequence: number;
  lastOverrideId: number;
}

export interface OwnedOverride {
  readonly profile: ProfileId;
  readonly override: Override;
}

export interface StoredJob {
  readonly job: Job;
  /** Exclusive; null while nobody has it. */
  readonly leaseUntil: Instant | null;
  /** Of the last attempt that failed; null while none has. */
  readonly error: string | null;
  readonly isDeadLetter: boolean;
}

export interface StoredEmbedding {
  readonly embedding: Embedding;
  readonly sequence: number;
}

export const createMemoryDatabase = (): MemoryDatabase => ({
  profiles: new Map(),
  keys: new Map(),
  collections: new Map(),
  documents: new Map(),
  grants: new Map(),
  tiers: new Map(),
  overrides: new Map(),
  entries: [],
  jobs: new Map(),
  embeddings: new Map(),
  lastRun: null,
  pepper: null,
  grantEpochs: new Map(),
  catalogEpoch: 0,
  lastSequence: 0,
  lastOverrideId: 0,
});

/** A copy that nobody can change. Arrays of numbers cannot be frozen: stores copy them on the way out as well. */
export const kept = <T>(value: T): T => freeze(structuredClone(value));

/**
 * Makes a change in one synchronous stretch: its record by `write`, which must not throw, and its effects. Throws `timed_out`,
 * and writes nothing, where the deadline has expired.
 */
export const commit = (
  database: MemoryDatabase,
  { entries = [], jobs = [], deadline }: Effects,
  write: () => void,
): void => {
  if (jobs.some(({ id }) => database.jobs.has(id))) throw new Error('There is a job with this id already');
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
};

/** Returns whether the profile has a notice, which is then asked for once more. */
const askAgain = ({ jobs }: MemoryDatabase, { profileId }: NoticeTask): boolean => {
  for (const stored of jobs.values()) {
    const { task } = stored.job;
    if (task.kind !== 'mail.notice' || task.profileId !== profileId) continue;
    jobs.set(stored.job.id, { ...stored, job: kept({ ...stored.job, task: { ...task, asked: task.asked + 1 } }) });
    return true;
  }
  return false;
};

/** Whoever keeps something under the epoch of the profile's grants finds it no more; before any change it is 0. */
export const touchGrants = (database: MemoryDatabase, profile: ProfileId): void => {
  database.grantEpochs.set(profile, (database.grantEpochs.get(profile) ?? 0) + 1);
};

/** Orders texts by code points, which the comparison of JavaScript, by UTF-16 units, does not. */
export const byCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
};
