import type {
  AccessRequest,
  AccountState,
  AuditEntry,
  CallId,
  Change,
  Collection,
  CollectionId,
  CredentialId,
  CredentialSubject,
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
  OperationDayUse,
  Override,
  PackedText,
  Profile,
  ProfileId,
  ReindexRun,
  RequestId,
  Revision,
  SealedCall,
  SearchModel,
  ServiceAccountId,
  StoredCredential,
  StoredKey,
  Tier,
  Webhook,
  WebhookDelivery,
  WebhookId,
} from '@portico/domain';

/**
 * The state shared by all memory stores. A store changes it synchronously, and only after every step that can throw, so
 * each change is atomic and changes never interleave.
 */
export interface MemoryDatabase {
  readonly profiles: Map<ProfileId, Profile>;
  readonly keys: Map<ProfileId, StoredKey>;
  readonly collections: Map<CollectionId, Collection>;
  /** Those for everyone, by scheme in code point order. */
  readonly credentials: Map<CollectionId, readonly StoredCredential[]>;
  readonly subjectCredentials: Map<CredentialId, OwnedCredential>;
  readonly documents: Map<CollectionId, PackedText>;
  /** The texts that documents were converted from. */
  readonly originals: Map<CollectionId, PackedText>;
  /** Oldest first. */
  readonly revisions: Map<CollectionId, readonly StoredRevision[]>;
  readonly operations: Map<CollectionId, StoredOperations>;
  /** Keyed by collection and model. */
  readonly operationBlocks: Map<string, StoredOperationBlock>;
  /** Keyed by profile or group, then by collection. */
  readonly grants: Map<ProfileId | GroupId, Map<CollectionId, Grant>>;
  readonly groups: Map<GroupId, Group>;
  /** The time at which an administrator added each member. */
  readonly groupMembers: Map<GroupId, Map<ProfileId, Instant>>;
  readonly claims: Map<ProfileId, GroupClaims>;
  readonly requests: Map<RequestId, AccessRequest>;
  readonly calls: Map<CallId, SealedCall>;
  readonly tiers: Map<string, Tier>;
  readonly overrides: Map<number, OwnedOverride>;
  /** In insertion order. */
  entries: AuditEntry[];
  readonly jobs: Map<JobId, StoredJob>;
  /** Keyed by collection and model. */
  readonly embeddings: Map<string, StoredEmbedding>;
  readonly models: Map<string, SearchModel>;
  searchModel: string | null;
  lastRun: ReindexRun | null;
  /** Keyed by day, profile and collection. */
  readonly uses: Map<string, DayUse>;
  /** Keyed by day, profile, collection and operation. */
  readonly operationUses: Map<string, OperationDayUse>;
  readonly serviceAccounts: Map<ServiceAccountId, AccountState>;
  /** Keyed by digest. */
  readonly oneTimeCodes: Map<string, OneTimeCode>;
  readonly webhooks: Map<WebhookId, Webhook>;
  /** Newest first. */
  readonly deliveries: Map<WebhookId, readonly WebhookDelivery[]>;
  /** The sealed pepper of API keys. */
  pepper: string | null;
  /** An epoch outlives its profile or group, so it never decreases. */
  readonly grantEpochs: Map<ProfileId | GroupId, number>;
  groupsEpoch: number;
  catalogEpoch: number;
  lastSequence: number;
  lastOperationSequence: number;
  lastOverrideId: number;
  /** Null before the first announcement. */
  expiriesAnnouncedDay: number | null;
  /** Called with the jobs of each change. */
  onJobsWritten: (jobs: readonly NewJob[]) => void;
}

export interface OwnedOverride {
  readonly profile: ProfileId;
  readonly override: Override;
}

export interface OwnedCredential {
  readonly collectionId: CollectionId;
  readonly subject: CredentialSubject;
  readonly credential: StoredCredential;
}

export interface StoredJob {
  readonly job: Job;
  /** The end of the lease, exclusive; null while the job is not leased. */
  readonly leaseUntil: Instant | null;
  /** The error of the last failed attempt; null if none has failed. */
  readonly error: string | null;
  readonly isDeadLetter: boolean;
}

export interface StoredEmbedding {
  readonly embedding: Embedding;
  readonly sequence: number;
}

export interface StoredRevision {
  readonly revision: Revision;
  readonly changes: readonly Change[];
  readonly packed: PackedText;
}

export interface StoredOperations {
  /** The digest of the document that contains the operations. */
  readonly digest: string;
  readonly operations: readonly Operation[];
}

export interface StoredOperationBlock {
  readonly block: OperationBlock;
  readonly sequence: number;
}

/** Returns the key for a record that exists once per collection and model. */
export const embeddingKeyOf = (collectionId: CollectionId, modelId: string): string => `${collectionId} ${modelId}`;

export const createMemoryDatabase = (): MemoryDatabase => ({
  profiles: new Map(),
  keys: new Map(),
  collections: new Map(),
  credentials: new Map(),
  subjectCredentials: new Map(),
  documents: new Map(),
  originals: new Map(),
  revisions: new Map(),
  operations: new Map(),
  operationBlocks: new Map(),
  grants: new Map(),
  groups: new Map(),
  groupMembers: new Map(),
  claims: new Map(),
  requests: new Map(),
  calls: new Map(),
  tiers: new Map(),
  overrides: new Map(),
  entries: [],
  jobs: new Map(),
  embeddings: new Map(),
  models: new Map(),
  searchModel: null,
  lastRun: null,
  uses: new Map(),
  operationUses: new Map(),
  serviceAccounts: new Map(),
  oneTimeCodes: new Map(),
  webhooks: new Map(),
  deliveries: new Map(),
  pepper: null,
  grantEpochs: new Map(),
  groupsEpoch: 0,
  catalogEpoch: 0,
  lastSequence: 0,
  lastOperationSequence: 0,
  lastOverrideId: 0,
  expiriesAnnouncedDay: null,
  onJobsWritten: () => undefined,
});

/** Returns a frozen copy. Typed arrays cannot be frozen, so stores also copy them when returning them. */
export const copyFrozen = <T>(value: T): T => freeze(structuredClone(value));

/** Returns at most `limit` ids above `after`, in ascending order. */
export const selectIdsAfter = <Id extends string>(ids: readonly Id[], after: Id | null, limit: number): readonly Id[] =>
  ids
    .filter((id) => after === null || id > after)
    .toSorted()
    .slice(0, limit);

/**
 * Writes the record and the effects synchronously. The record is written by calling `write`, which must not throw.
 * Throws `timed_out` and writes nothing if the deadline has expired.
 */
export const commit = (
  database: MemoryDatabase,
  { entries = [], jobs = [], deadline }: Effects,
  write: () => void,
): void => {
  if (jobs.some(({ id }) => database.jobs.has(id))) throw new Error('A job with this id already exists');
  deadline?.beginCommit();
  write();
  for (const entry of entries) database.entries.push(copyFrozen(entry));
  for (const job of jobs) {
    if (job.task.kind === 'mail.notice' && addToNotice(database, job.task)) continue;
    database.jobs.set(job.id, {
      job: copyFrozen({ ...job, attempts: 0 }),
      leaseUntil: null,
      error: null,
      isDeadLetter: false,
    });
  }
  if (jobs.length > 0) database.onJobsWritten(jobs);
};

/** Counts one more request in the profile's notice. Returns false if the profile has no notice. */
const addToNotice = ({ jobs }: MemoryDatabase, { profileId }: NoticeTask): boolean => {
  for (const storedJob of jobs.values()) {
    const { task } = storedJob.job;
    if (task.kind !== 'mail.notice' || task.profileId !== profileId) continue;
    jobs.set(storedJob.job.id, {
      ...storedJob,
      job: copyFrozen({ ...storedJob.job, task: { ...task, requestCount: task.requestCount + 1 } }),
    });
    return true;
  }
  return false;
};

/**
 * Invalidates the cache entries under the grants epoch of a profile or group. The epoch is 0 before the first change.
 */
export const touchGrants = (database: MemoryDatabase, profile: ProfileId | GroupId): void => {
  database.grantEpochs.set(profile, (database.grantEpochs.get(profile) ?? 0) + 1);
};

/** Removes the credentials of a removed group, profile or collection. */
export const removeCredentialsOf = (
  { credentials, subjectCredentials }: MemoryDatabase,
  owner: GroupId | ProfileId | CollectionId,
): void => {
  credentials.delete(owner as CollectionId);
  for (const [id, { collectionId, subject }] of subjectCredentials)
    if (subject.id === owner || collectionId === owner) subjectCredentials.delete(id);
};

/** Compares strings by code point; JavaScript's own comparison uses UTF-16 code units. */
export const compareCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
};
