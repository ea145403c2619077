import { activeLifecycle, dayOf, emptyChangePolicy, noUses, deactivateOthers } from '@portico/domain';
import type {
  AccountKey,
  AccessRequest,
  ApprovedProfile,
  AuditEntry,
  CallId,
  ClientId,
  Collection,
  CollectionId,
  CredentialId,
  DayUse,
  DocumentContent,
  Effects,
  Embedding,
  EntryId,
  Group,
  GroupId,
  Id,
  Instant,
  JobId,
  Lifecycle,
  NewJob,
  NewRevision,
  NewOverride,
  OneTimeCode,
  Operation,
  OperationBlock,
  OperationDayUse,
  OperationKey,
  Override,
  OverrideChange,
  PackedText,
  Profile,
  ProfileId,
  RequestId,
  SealedCall,
  ServiceAccount,
  ServiceAccountId,
  StoredCredential,
  StoredKey,
  Tier,
} from '@portico/domain';

/** The creation time of the records that this file creates. */
export const start: Instant = Date.UTC(2031, 4, 6, 7, 8, 9, 10);
/** A time later than all times in these records. */
export const endOfTime: Instant = Date.UTC(2099, 0, 1);

/** Returns a unique id, which is greater than all earlier ones. Unique emails and uids are derived from it. */
export const nextId = <T extends Id>(): T => {
  recordCount += 1;
  return `0b9f6a52-3c1e-4c60-9b65-${recordCount.toString(16).padStart(12, '0')}` as T;
};

/** Returns an approved client with an API client identifier. */
export const aProfile = (fields: Partial<Profile> = {}): Profile => {
  const id = nextId<ProfileId>();
  const number = Number.parseInt(id.slice(-12), 16);
  const isApproved = fields.status === undefined || fields.status === 'approved';
  return {
    id,
    email: `ada.${number}@example.com`,
    fullName: 'Ada Łovelace 愛',
    companyName: 'Analytical Engines',
    role: 'client',
    status: 'approved',
    uid: `Uid-${number}`,
    issuer: 'https://id.example.com',
    clientId: isApproved ? nextId<ClientId>() : null,
    tier: null,
    suspendedAt: null,
    createdAt: start,
    updatedAt: start + 2,
    approvedAt: isApproved ? start + 1 : null,
    ...fields,
  } as Profile;
};

/** Returns a newly created admin, without an API client identifier. */
export const anAdmin = (fields: Partial<ApprovedProfile> = {}): Profile =>
  aProfile({ role: 'admin', clientId: null, ...fields });

/** Returns a key whose previous secret is still valid after the last rotation. */
export const aKey = (): StoredKey => ({
  current: { hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$Y3VycmVudA', tag: 0xffff_ffff },
  previous: { hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$cHJldmlvdXM', tag: 0, until: start + 3_600_000 },
  expiresAt: null,
});

/** Returns a service account that expires and was created by an administrator. */
export const anAccount = (fields: Partial<ServiceAccount> = {}): ServiceAccount => {
  const id = nextId<ServiceAccountId>();
  return {
    id,
    name: `Zoë's robot ${id.slice(-12)}`,
    scopes: ['catalog:write', 'audit:read'],
    expiresAt: start + 86_400_000,
    createdBy: nextId<ProfileId>(),
    createdAt: start,
    updatedAt: start + 1,
    ...fields,
  };
};

/** Returns a service account's key with the same secrets as `aKey`. */
export const anAccountKey = (): AccountKey => {
  const { current, previous } = aKey();
  return { current, previous };
};

/** Returns a sign-in code that expires one minute after `start`. Its digest is unique. */
export const aOneTimeCode = (fields: Partial<OneTimeCode> = {}): OneTimeCode => ({
  digest: nextId<JobId>().replaceAll('-', '').padStart(64, 'e'),
  purpose: 'sign-in',
  payload: '{"uid":"größe 愛"}',
  expiresAt: start + 60_000,
  ...fields,
});

export const aCollection = (fields: Partial<Collection> = {}): Collection => ({
  id: nextId<CollectionId>(),
  name: 'Zahlungen für Straßen 決済',
  description: 'Pays for roads.\nAnd for nothing else.',
  createdBy: nextId<ProfileId>(),
  createdAt: start,
  updatedAt: start,
  revision: 1,
  contentRevision: 1,
  descriptionDerived: false,
  baseUrl: 'https://roads.example.com/v1',
  derivedAuthentication: { type: 'bearer', name: 'Authorization', in: null },
  storedAuthentication: null,
  documentDigest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  baseUrlSetting: 'https://roads.example.com/v2',
  serverVariables: { 'größe 愛': '', region: 'eu "1"' },
  credentialSchemes: [],
  delivery: 'reveal',
  ownCredentials: false,
  original: null,
  discoverable: false,
  importKey: null,
  lifecycle: activeLifecycle,
  ownerGroup: null,
  tags: [],
  changePolicy: emptyChangePolicy,
  ...fields,
});

/** Returns a deprecation with all details. */
export const aDeprecation = (fields: Partial<Lifecycle> = {}): Lifecycle => ({
  state: 'deprecated',
  since: start + 1,
  sunset: start + 86_400_000,
  successor: nextId<CollectionId>(),
  text: 'Use the new roads.\nThey are größer.',
  ...fields,
});

/** Returns a credential whose sealed text no cipher can open. */
export const aCredential = (scheme: string, fields: Partial<StoredCredential> = {}): StoredCredential => ({
  id: nextId<CredentialId>(),
  scheme,
  kind: 'value',
  sealed: 'c2VhbGVk',
  origins: ['https://roads.example.com', 'https://roads.example.com:8443'],
  createdAt: start,
  updatedAt: start + 1,
  ...fields,
});

/** Returns a group without a tier. Its name is unique. */
export const aGroup = (fields: Partial<Group> = {}): Group => {
  const id = nextId<GroupId>();
  return {
    id,
    name: `Straßenbau ${Number.parseInt(id.slice(-12), 16)}`,
    description: 'Those who build roads.',
    tier: null,
    createdAt: start,
    updatedAt: start,
    ...fields,
  };
};

/** Returns a pending request. */
export const aRequest = (
  { id: profileId }: Pick<Profile, 'id'>,
  { id: collectionId }: Pick<Collection, 'id'>,
  fields: Partial<AccessRequest> = {},
): AccessRequest => ({
  id: nextId<RequestId>(),
  profileId,
  collectionId,
  reason: 'To build roads.',
  durationDays: 30,
  status: 'pending',
  createdAt: start,
  decidedAt: null,
  answer: null,
  ...fields,
});

/** Returns a call that waits for a decision until the end of time. Its sealed arguments can be opened by no cipher. */
export const aCall = (
  { id: profileId }: Pick<Profile, 'id'>,
  { id: collectionId }: Pick<Collection, 'id'>,
  fields: Partial<SealedCall> = {},
): SealedCall => ({
  id: nextId<CallId>(),
  profileId,
  collectionId,
  operationKey: 'aaaaaaaaaaaaaaaa' as OperationKey,
  method: 'POST',
  path: '/roads',
  status: 'waiting',
  requestedAt: start,
  expiresAt: endOfTime,
  decidedAt: null,
  decidedBy: null,
  reason: null,
  sealed: 'c2VhbGVk',
  ...fields,
});

/** Returns a document's content as it is stored: its text and these operations. */
export const aDocumentContent = (text?: string, operations: readonly Operation[] = []): DocumentContent => ({
  packed: aPackedDocument(text),
  operations,
  original: null,
  revision: aRevision(),
});

/** Returns a revision by a profile, without changes. */
export const aRevision = (fields: Partial<NewRevision> = {}): NewRevision => ({
  actorId: nextId<ProfileId>(),
  actorName: 'größe@example.com',
  origin: null,
  counts: null,
  breakingTexts: [],
  changes: [],
  ...fields,
});

export const anOperation = (fields: Partial<Operation> = {}): Operation => ({
  key: 'aaaaaaaaaaaaaaaa' as OperationKey,
  method: 'GET',
  path: '/roads',
  operationId: 'listRoads',
  summary: 'List roads',
  tags: ['roads'],
  deprecated: false,
  excerpt: '',
  ...fields,
});

/** Returns a block whose vectors are arbitrary bytes, which no store parses. */
export const anOperationBlock = (collection: Collection, fields: Partial<OperationBlock> = {}): OperationBlock => ({
  collectionId: collection.id,
  modelId: 'm1',
  documentDigest: collection.documentDigest,
  contentRevision: collection.contentRevision,
  operations: 1,
  packed: Uint8Array.of(1, 2, 3),
  ...fields,
});

/**
 * Returns the text in stored DEFLATE blocks (RFC 1951, section 3.2.4). The last block is empty, as after a sync flush.
 */
export const aPackedDocument = (
  text = '{"openapi":"3.1.0","info":{"title":"Roads","version":"1"},"paths":{}}',
): PackedText => {
  const bytes = new TextEncoder().encode(text);
  const length = [bytes.length & 0xff, bytes.length >> 8];
  const complement = length.map((byte) => byte ^ 0xff);
  return {
    deflated: Uint8Array.from([0, ...length, ...complement, ...bytes, 0, 0, 0, 0xff, 0xff]),
    crc32: computeCrc32(bytes),
    bytes: bytes.length,
  };
};

/**
 * Returns an entry whose message contains white space and a number that no double can represent: a log must not change
 * the text.
 */
export const anEntry = (fields: Partial<AuditEntry> = {}): AuditEntry => {
  const instant = fields.instant ?? start;
  return {
    id: nextId<EntryId>(),
    source: 'client',
    actorId: null,
    message: '{ "n": 12345678901234567890, "größe":"1.0e0" }',
    timestamp: new Date(instant).toISOString(),
    instant,
    receivedAt: instant,
    facets: { clientId: null, collectionId: null, action: null },
    ...fields,
  };
};

/** Returns a job that is due at `start`. */
export const aJob = (fields: Partial<NewJob> = {}): NewJob => ({
  id: nextId<JobId>(),
  task: { kind: 'embed', collectionId: nextId<CollectionId>() },
  group: null,
  dueAt: start,
  ...fields,
});

/** Returns a mail job whose sealed text no cipher can open. */
export const aMailJob = (profileId: ProfileId) =>
  ({ ...aJob(), task: { kind: 'mail.credentials', profileId, sealed: 'c2VhbGVk' } }) as const satisfies NewJob;

export const aNoticeJob = (profileId: ProfileId, fields: Partial<NewJob> = {}) =>
  ({ ...aJob(fields), task: { kind: 'mail.notice', profileId, requestCount: 1 } }) as const satisfies NewJob;

export const noEffects: Required<Effects> = { entries: [], jobs: [], deadline: null };

export const someEffects = (): Required<Effects> => ({
  entries: [anEntry(), anEntry({ source: 'system' })],
  jobs: [aJob()],
  deadline: null,
});

export const jobEffectsOf = (...jobs: readonly NewJob[]): Effects => ({ ...noEffects, jobs });

/** Returns a tier with the highest limit and the longest window allowed (`allowedMax`, `windowSecondsMax`). */
export const aTier = (fields: Partial<Tier> = {}): Tier => ({
  tier: 'gold',
  description: 'For those who pay.',
  isActive: true,
  allowed: 1_000_000_000,
  windowSeconds: 2_678_400,
  createdAt: start,
  updatedAt: start,
  ...fields,
});

export const anOverride = (fields: Partial<NewOverride> = {}): NewOverride => ({
  clientId: nextId<ClientId>(),
  isActive: true,
  allowed: 7,
  windowSeconds: 60,
  createdAt: start,
  updatedAt: start,
  ...fields,
});

/** Returns a decision that adds this override. If it is active, it replaces the active one. */
export const createAddDecision =
  (override: NewOverride, effects: Effects = noEffects) =>
  (others: readonly Override[]): OverrideChange<NewOverride> => ({
    override,
    otherOverrides: deactivateOthers(override, others),
    ...effects,
  });

/** Returns an embedding of the collection's current text from the model `m1`. Its vector lies on the axis `direction`. */
export const anEmbedding = (collection: Collection, fields: Partial<Embedding> = {}, direction = 0): Embedding => ({
  collectionId: collection.id,
  modelId: 'm1',
  contentRevision: collection.contentRevision,
  vector: Float32Array.from({ length: 768 }, (_, axis) => (axis === direction ? 1 : 0)),
  ...fields,
});

/** Returns the usage record of one read at `start`. */
export const aUsageRecord = (
  profile: Profile,
  collection: Collection | null,
  fields: Partial<DayUse> = {},
): DayUse => ({
  day: dayOf(fields.lastUsedAt ?? start),
  profileId: profile.id,
  collectionId: collection?.id ?? null,
  counts: { ...noUses, read: 1 },
  lastUsedAt: start,
  keyUsedAt: null,
  ...fields,
});

/** Returns the usage record of one slice of an operation at `start`. */
export const anOperationUsageRecord = (
  profile: Profile,
  collection: Collection,
  operationKey: OperationKey,
  fields: Partial<OperationDayUse> = {},
): OperationDayUse => ({
  day: dayOf(fields.lastUsedAt ?? start),
  profileId: profile.id,
  collectionId: collection.id,
  operationKey,
  counts: { slice: 1, call: 0 },
  lastUsedAt: start,
  ...fields,
});

let recordCount = 0;

/** Computes the CRC-32 (RFC 1952, section 8). */
const computeCrc32 = (bytes: Uint8Array): number => {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  return ~crc >>> 0;
};
