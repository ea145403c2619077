import { defineEntity, p } from '@mikro-orm/core';
import type {
  ApiKeyPlace,
  AuditSource,
  AuthenticationType,
  ClientId,
  CollectionId,
  EntryId,
  GroupId,
  JobId,
  JobKind,
  OperationKey,
  ProfileId,
  RegistrationStatus,
  RequestId,
  RequestStatus,
  Role,
  ServiceAccountId,
} from '@portico/domain';

/**
 * The tables, for both dialects. Instants are milliseconds in a 64-bit integer. Ids are lower-case UUIDs stored as
 * text, so both dialects compare and return them alike. Every index is named here, since the dialects would generate
 * different names.
 */
const int64 = () => p.bigint('number');
const text = () => p.text();

export const ProfileEntity = defineEntity({
  name: 'Profile',
  tableName: 'profiles',
  properties: {
    id: text().$type<ProfileId>().primary(),
    email: text().unique('profiles_email_unique'),
    fullName: text(),
    companyName: text().nullable(),
    role: text().$type<Role>(),
    status: text().$type<RegistrationStatus>(),
    uid: text().unique('profiles_uid_unique'),
    /** Whether `issuer` is set. Written for older versions, which may run beside this one; never read. */
    bound: p.boolean(),
    /** Null while the profile is not bound, regardless of `bound`. */
    issuer: text().nullable(),
    clientId: text().$type<ClientId>().nullable().unique('profiles_client_id_unique'),
    /** No foreign key: removing the tier changes the profile, including its time of change. */
    tier: text().nullable(),
    createdAt: int64(),
    updatedAt: int64(),
    approvedAt: int64().nullable(),
    /** The API key: `keyHash` and `keyTag` are null together. */
    keyHash: text().nullable(),
    keyTag: int64().nullable(),
    previousHash: text().nullable(),
    previousTag: int64().nullable(),
    previousUntil: int64().nullable(),
    keyExpiresAt: int64().nullable(),
    suspendedAt: int64().nullable(),
    /** What the newest token said of its groups, as a JSON array; the three are null together. */
    claimedGroups: text().nullable(),
    claimsIssuedAt: int64().nullable(),
    claimsSeenAt: int64().nullable(),
    /** Grows with each change of the profile's grants or groups. */
    grantsEpoch: int64(),
    /** False for a profile of which no row says that it is in a group, so that requests need not look. */
    inGroups: p.boolean().default(false),
  },
  indexes: [
    { name: 'profiles_role_index', properties: ['role'] },
    { name: 'profiles_created_at_index', properties: ['createdAt', 'id'] },
    { name: 'profiles_key_ends_index', properties: ['keyExpiresAt'], where: 'key_expires_at is not null' },
  ],
});

export const CollectionEntity = defineEntity({
  name: 'Collection',
  tableName: 'collections',
  properties: {
    id: text().$type<CollectionId>().primary(),
    name: text(),
    /** `nameKey(name)`: the sort key of lists, in code-point order. */
    nameKey: text(),
    description: text(),
    /** No foreign key: a collection stays when its creator goes. */
    createdBy: text().$type<ProfileId>(),
    createdAt: int64(),
    updatedAt: int64(),
    revision: int64(),
    contentRevision: int64(),
    /** Older versions, which may run beside this one, write rows without it. */
    descriptionDerived: p.boolean().default(false),
    baseUrl: text(),
    derivedType: text().$type<AuthenticationType>(),
    derivedName: text().nullable(),
    derivedIn: text().$type<ApiKeyPlace>().nullable(),
    /** Set by an admin; `storedType` is null if nothing was set. */
    storedType: text().$type<AuthenticationType>().nullable(),
    storedName: text().nullable(),
    storedIn: text().$type<ApiKeyPlace>().nullable(),
    storedSealedValue: text().nullable(),
    documentDigest: text(),
    /** The digest of the document whose operations are stored; older versions change a document without it. */
    operationsDigest: text().nullable(),
    discoverable: p.boolean().default(false),
    importKey: text().nullable().unique('collections_import_key_unique'),
  },
  indexes: [{ name: 'collections_name_key_index', properties: ['nameKey', 'id'] }],
});

/** The row is deleted with its owner. */
const ofProfile = () => p.manyToOne(ProfileEntity).mapToPk().joinColumn('profile_id').deleteRule('cascade');
const ofCollection = () => p.manyToOne(CollectionEntity).mapToPk().joinColumn('collection_id').deleteRule('cascade');

/** A table of its own: lists and renames of collections never touch the document. */
export const DocumentEntity = defineEntity({
  name: 'Document',
  tableName: 'documents',
  properties: {
    collectionId: () => ofCollection().primary().index(false),
    /** As in `PackedText`: `crc32` and `bytes` describe the text, not its packed form. */
    deflated: p.blob(),
    crc32: int64(),
    bytes: int64(),
  },
});

export const OperationEntity = defineEntity({
  name: 'Operation',
  tableName: 'operations',
  properties: {
    collectionId: () => ofCollection().primary().index(false),
    key: text().$type<OperationKey>().primary(),
    position: int64(),
    method: text(),
    path: text(),
    operationId: text().nullable(),
    summary: text().nullable(),
    /** A JSON array of strings. */
    tags: text(),
    deprecated: p.boolean(),
    excerpt: text(),
  },
  indexes: [{ name: 'operations_position_index', properties: ['collectionId', 'position'] }],
});

/** The vectors of a collection's operations, by one model. */
export const OperationBlockEntity = defineEntity({
  name: 'OperationBlock',
  tableName: 'operation_blocks',
  properties: {
    collectionId: () => ofCollection().primary().index(false),
    modelId: text().primary(),
    documentDigest: text(),
    contentRevision: int64(),
    sequence: int64(),
    operations: int64(),
    packed: p.blob(),
  },
  uniques: [{ name: 'operation_blocks_sequence_unique', properties: ['modelId', 'sequence'] }],
});

export const EmbeddingEntity = defineEntity({
  name: 'Embedding',
  tableName: 'collection_embeddings',
  properties: {
    collectionId: () => ofCollection().primary().index(false),
    modelId: text().primary(),
    contentRevision: int64(),
    sequence: int64(),
    /** 768 little-endian 32-bit floats. */
    vector: p.blob(),
  },
  uniques: [{ name: 'collection_embeddings_sequence_unique', properties: ['modelId', 'sequence'] }],
  /** Answers which collections are up to date without reading vectors. */
  indexes: [{ name: 'collection_embeddings_model_index', properties: ['modelId', 'collectionId', 'contentRevision'] }],
});

/** What the version before 0006 reads and writes; triggers keep it in step, and nothing else uses it. */
export const PreviousEmbeddingEntity = defineEntity({
  name: 'PreviousEmbedding',
  tableName: 'embeddings',
  properties: {
    collectionId: () => ofCollection().primary().index(false),
    modelId: text(),
    contentRevision: int64(),
    sequence: int64().unique('embeddings_sequence_unique'),
    vector: p.blob(),
  },
});

/** The models whose embeddings are kept. */
export const SearchModelEntity = defineEntity({
  name: 'SearchModel',
  tableName: 'search_models',
  properties: {
    modelId: text().primary(),
    /** 0 for those of the version before 0006, whose embeddings go into its table too. */
    firstSeenAt: int64(),
    lastSeenAt: int64(),
  },
});

export const GrantEntity = defineEntity({
  name: 'Grant',
  tableName: 'grants',
  properties: {
    profileId: () => ofProfile().primary().index(false),
    collectionId: () => ofCollection().primary().index('grants_collection_index'),
    grantedAt: int64(),
    expiresAt: int64().nullable(),
  },
  indexes: [
    { name: 'grants_expiry_index', properties: ['profileId', 'expiresAt'], where: 'expires_at is not null' },
    { name: 'grants_ends_index', properties: ['expiresAt'], where: 'expires_at is not null' },
  ],
});

export const GroupEntity = defineEntity({
  name: 'Group',
  tableName: 'access_groups',
  properties: {
    id: text().$type<GroupId>().primary(),
    name: text().unique('access_groups_name_unique'),
    description: text(),
    /** No foreign key, as for profiles. */
    tier: text().nullable(),
    createdAt: int64(),
    updatedAt: int64(),
  },
});

const ofGroup = () => p.manyToOne(GroupEntity).mapToPk().joinColumn('group_id').deleteRule('cascade');

/** Members by an administrator's hand. */
export const GroupMemberEntity = defineEntity({
  name: 'GroupMember',
  tableName: 'group_members',
  properties: {
    profileId: () => ofProfile().primary().index(false),
    groupId: () => ofGroup().primary().index('group_members_group_index'),
    addedAt: int64(),
  },
});

/** The names of groups in the newest token of a profile; a member is whose name a group has. */
export const ClaimedGroupEntity = defineEntity({
  name: 'ClaimedGroup',
  tableName: 'claimed_groups',
  properties: {
    profileId: () => ofProfile().primary().index(false),
    name: text().primary().index('claimed_groups_name_index'),
  },
});

export const GroupGrantEntity = defineEntity({
  name: 'GroupGrant',
  tableName: 'group_grants',
  properties: {
    groupId: () => ofGroup().primary().index(false),
    collectionId: () => ofCollection().primary().index('group_grants_collection_index'),
    grantedAt: int64(),
    expiresAt: int64().nullable(),
  },
  indexes: [
    { name: 'group_grants_expiry_index', properties: ['groupId', 'expiresAt'], where: 'expires_at is not null' },
    { name: 'group_grants_ends_index', properties: ['expiresAt'], where: 'expires_at is not null' },
  ],
});

export const AccessRequestEntity = defineEntity({
  name: 'AccessRequest',
  tableName: 'access_requests',
  properties: {
    id: text().$type<RequestId>().primary(),
    profileId: () => ofProfile().index(false),
    collectionId: () => ofCollection().index('access_requests_collection_index'),
    reason: text(),
    durationDays: int64().nullable(),
    status: text().$type<RequestStatus>(),
    createdAt: int64(),
    decidedAt: int64().nullable(),
    answer: text().nullable(),
  },
  indexes: [
    { name: 'access_requests_profile_index', properties: ['profileId', 'createdAt'] },
    { name: 'access_requests_status_index', properties: ['status', 'createdAt'] },
  ],
  uniques: [
    {
      name: 'access_requests_pending_unique',
      properties: ['collectionId', 'profileId'],
      where: "status = 'pending'",
    },
  ],
});

export const TierEntity = defineEntity({
  name: 'Tier',
  tableName: 'tiers',
  properties: {
    tier: text().primary(),
    allowed: int64(),
    windowSeconds: int64(),
    description: text().nullable(),
    isActive: p.boolean(),
    createdAt: int64(),
    updatedAt: int64(),
  },
});

export const OverrideEntity = defineEntity({
  name: 'Override',
  tableName: 'overrides',
  properties: {
    /** Autoincrement: the id of a removed override is never reused. */
    id: p.integer().primary(),
    profileId: () => ofProfile().index('overrides_profile_index'),
    clientId: text().$type<ClientId>(),
    allowed: int64(),
    windowSeconds: int64(),
    isActive: p.boolean(),
    createdAt: int64(),
    updatedAt: int64(),
  },
  uniques: [{ name: 'overrides_active_unique', properties: ['profileId'], where: 'is_active = true' }],
});

/** `seq` is the order of insertion. */
export const AuditEntryEntity = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entries',
  properties: {
    seq: p.integer().primary(),
    id: text().$type<EntryId>(),
    source: text().$type<AuditSource>(),
    actorId: text().$type<ProfileId>().nullable(),
    message: text(),
    timestamp: text(),
    instant: int64(),
    receivedAt: int64(),
    clientId: text().nullable(),
    collectionId: text().nullable(),
    action: text().nullable(),
  },
  indexes: [
    { name: 'audit_entries_instant_index', properties: ['instant', 'seq'] },
    { name: 'audit_entries_source_index', properties: ['source', 'instant', 'seq'] },
    { name: 'audit_entries_received_index', properties: ['receivedAt', 'seq'] },
    { name: 'audit_entries_actor_index', properties: ['actorId', 'instant', 'seq'], where: 'actor_id is not null' },
    { name: 'audit_entries_client_index', properties: ['clientId', 'instant', 'seq'], where: 'client_id is not null' },
    {
      name: 'audit_entries_collection_index',
      properties: ['collectionId', 'instant', 'seq'],
      where: 'collection_id is not null',
    },
    { name: 'audit_entries_action_index', properties: ['action', 'instant', 'seq'], where: 'action is not null' },
  ],
});

/** Entry counts per source (`all` for both) and day of the instant, and in total. Maintained on write, never counted. */
export const AuditDayEntity = defineEntity({
  name: 'AuditDay',
  tableName: 'audit_days',
  properties: { scope: text().primary(), day: p.integer().primary().autoincrement(false), entries: int64() },
});
export const AuditTotalEntity = defineEntity({
  name: 'AuditTotal',
  tableName: 'audit_totals',
  properties: { scope: text().primary(), entries: int64() },
});

export const JobEntity = defineEntity({
  name: 'Job',
  tableName: 'jobs',
  properties: {
    id: text().$type<JobId>().primary(),
    kind: text().$type<JobKind>(),
    profileId: text().$type<ProfileId>().nullable().index('jobs_profile_index'),
    collectionId: text().$type<CollectionId>().nullable(),
    sealed: text().nullable(),
    reason: text().nullable(),
    requestId: text().$type<RequestId>().nullable(),
    asked: p.integer().default(1),
    jobGroup: text().nullable().index('jobs_group_index'),
    dueAt: int64(),
    attempts: p.integer().default(0),
    leasedUntil: int64().nullable(),
    givenUp: p.boolean().default(false),
    error: text().nullable(),
  },
  indexes: [
    { name: 'jobs_due_index', properties: ['dueAt', 'id'], where: 'given_up = false' },
    { name: 'jobs_kind_index', properties: ['kind', 'dueAt', 'id'], where: 'given_up = false' },
  ],
  uniques: [{ name: 'jobs_notice_unique', properties: ['profileId'], where: "kind = 'mail.notice'" }],
});

export const ReindexRunEntity = defineEntity({
  name: 'ReindexRun',
  tableName: 'reindex_runs',
  properties: { seq: p.integer().primary(), id: text(), total: int64(), startedAt: int64() },
});

/** A single row. Each number grows with every change to what it names. */
export const EpochsEntity = defineEntity({
  name: 'Epochs',
  tableName: 'epochs',
  properties: {
    id: p.integer().primary().autoincrement(false),
    catalog: int64(),
    embeddings: int64(),
    operations: int64().defaultRaw('0'),
    groups: int64().defaultRaw('0'),
    /** The model that searches use; here, because each request reads this row. */
    searchModel: text().nullable(),
  },
});

/** What a profile did on a day (days since 1970-01-01, UTC) with a collection, or with none. */
export const UsageDayEntity = defineEntity({
  name: 'UsageDay',
  tableName: 'usage_days',
  properties: {
    day: p.integer().primary().autoincrement(false),
    profileId: () => ofProfile().primary().index(false),
    /** The collection's id, or an empty text: null cannot be part of a key. */
    subject: text().primary(),
    collectionId: () => ofCollection().nullable().index(false),
    reads: int64(),
    searches: int64(),
    slices: int64(),
    credentialReads: int64(),
    lastUsedAt: int64(),
    keyUsedAt: int64().nullable(),
  },
  /** Each answers what was used last by a look at its end. */
  indexes: [
    { name: 'usage_days_profile_index', properties: ['profileId', 'lastUsedAt'] },
    { name: 'usage_days_key_index', properties: ['profileId', 'keyUsedAt'] },
    { name: 'usage_days_collection_index', properties: ['collectionId', 'lastUsedAt'] },
  ],
});

/** The key as that of a profile: `keyHash` and `keyTag` are null together, after a reset of the secrets key. */
export const ServiceAccountEntity = defineEntity({
  name: 'ServiceAccount',
  tableName: 'service_accounts',
  properties: {
    id: text().$type<ServiceAccountId>().primary(),
    name: text(),
    /** `nameKey(name)` */
    nameKey: text().unique('service_accounts_name_key_unique'),
    /** Separated by spaces (RFC 6749, section 3.3). */
    scopes: text(),
    expiresAt: int64().nullable(),
    /** No foreign key: an account stays when its creator goes. */
    createdBy: text().$type<ProfileId>().nullable(),
    createdAt: int64(),
    updatedAt: int64(),
    keyHash: text().nullable(),
    keyTag: int64().nullable(),
    previousHash: text().nullable(),
    previousTag: int64().nullable(),
    previousUntil: int64().nullable(),
  },
});

export const SettingEntity = defineEntity({
  name: 'Setting',
  tableName: 'settings',
  properties: { name: text().primary(), value: text() },
});

export const entities = [
  ProfileEntity,
  CollectionEntity,
  DocumentEntity,
  OperationEntity,
  OperationBlockEntity,
  EmbeddingEntity,
  PreviousEmbeddingEntity,
  SearchModelEntity,
  GrantEntity,
  GroupEntity,
  GroupMemberEntity,
  ClaimedGroupEntity,
  GroupGrantEntity,
  AccessRequestEntity,
  TierEntity,
  OverrideEntity,
  AuditEntryEntity,
  AuditDayEntity,
  AuditTotalEntity,
  JobEntity,
  ReindexRunEntity,
  EpochsEntity,
  UsageDayEntity,
  ServiceAccountEntity,
  SettingEntity,
];
