import type { GroupInput, Instant, LimitRule, RegistrationStatus, RequestStatus, UsageGrouping } from '@portico/domain';

/**
 * What an administrator does all day, by e-mails and names: on the stores, or over HTTP. What it returns is named as in
 * the tool's JSON; times are ISO 8601. A refusal is a `PorticoError` or a `ServerRefusal`.
 */
export interface Administration {
  readonly people: (filter: PeopleFilter) => Promise<readonly Person[]>;
  /** At most `approvalsMax`; each has an outcome of its own. */
  readonly approve: (emails: readonly string[]) => Promise<readonly Approval[]>;
  readonly suspend: (email: string, reason: string | null) => Promise<void>;
  readonly resume: (email: string) => Promise<void>;

  /** `until` undefined leaves the grants that there are as they are, null takes their end away. */
  readonly grant: (pairs: Pairs, until: Instant | null | undefined) => Promise<readonly PairOutcome[]>;
  readonly revoke: (pairs: Pairs) => Promise<readonly PairOutcome[]>;
  readonly access: (filter: AccessFilter) => Promise<readonly AccessLine[]>;

  /** By name; of `containing` only those whose name contains it, in any case. */
  readonly collections: (containing: string | null) => Promise<readonly CollectionLine[]>;
  readonly removeCollection: (id: string) => Promise<void>;

  readonly groups: () => Promise<readonly ListedGroup[]>;
  readonly group: (name: string) => Promise<WholeGroup>;
  readonly createGroup: (group: GroupInput) => Promise<void>;
  readonly removeGroup: (name: string) => Promise<void>;
  /** Each has an outcome of its own. */
  readonly addMembers: (group: string, emails: readonly string[]) => Promise<readonly Join[]>;
  readonly removeMember: (group: string, email: string) => Promise<void>;

  /** The oldest first if they wait, else the newest. */
  readonly requests: (status: RequestStatus | null) => Promise<readonly AccessRequest[]>;
  /** Without an end, the access ends after the days that were asked for, if any. */
  readonly approveRequest: (id: string, until: Instant | undefined) => Promise<void>;
  readonly denyRequest: (id: string, reason: string | null) => Promise<void>;

  /** Creates the tier, or changes it; a description of undefined stays. */
  readonly setTier: (name: string, rule: LimitRule, description: string | undefined) => Promise<'created' | 'changed'>;
  readonly assignTier: (email: string, tier: string | null) => Promise<void>;
  readonly override: (email: string, rule: LimitRule) => Promise<void>;

  readonly usage: (query: UsageQuery) => Promise<readonly UsageLine[]>;
  /** The newest first. */
  readonly audit: (query: AuditQuery) => Promise<readonly AuditLine[]>;

  readonly rotateKey: (email: string, graceSeconds: number) => Promise<KeyPair>;
  readonly expireKey: (email: string, at: Instant | null) => Promise<void>;
}

export interface PeopleFilter {
  readonly status: RegistrationStatus | null;
  readonly suspended: boolean | null;
}

export interface Person {
  readonly email: string;
  readonly full_name: string;
  readonly company_name: string | null;
  readonly role: string;
  readonly registration_status: string;
  /** Absent if it may not be seen. */
  readonly tier?: string | null;
  readonly suspended_at: string | null;
  readonly created_at: string;
}

export interface KeyPair {
  readonly client_id: string;
  readonly client_secret: string;
}

export interface Approval extends Partial<KeyPair> {
  readonly outcome: string;
  readonly email: string;
}

/** Every one of the people and groups with every one of the collections. */
export interface Pairs {
  readonly emails: readonly string[];
  readonly groups: readonly string[];
  readonly collections: readonly string[];
}

export interface PairOutcome {
  readonly outcome: string;
  readonly email?: string;
  readonly group_name?: string;
  readonly collection_name: string;
  readonly expires_at: string | null;
  readonly reason?: string;
}

/** Only what all that are given say. */
export interface AccessFilter {
  readonly profile?: string;
  readonly group?: string;
  readonly collection?: string;
  readonly expiringBefore?: Instant;
}

export interface AccessLine {
  readonly email: string;
  readonly full_name: string;
  readonly company_name: string | null;
  readonly registration_status: string;
  readonly suspended_at: string | null;
  readonly collection_name: string;
  readonly via: string;
  readonly group_name: string | null;
  readonly granted_at: string;
  readonly expires_at: string | null;
}

export interface CollectionLine {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ListedGroup {
  readonly name: string;
  readonly description: string;
  readonly tier: string | null;
  readonly member_count: number;
  readonly collection_count: number;
}

export interface WholeGroup extends ListedGroup {
  readonly members: readonly Member[];
  readonly collections: readonly GroupCollection[];
}

export interface Member {
  readonly email: string;
  readonly full_name: string;
  readonly added_at: string | null;
  readonly claimed_at: string | null;
}

export interface GroupCollection {
  readonly name: string;
  readonly granted_at: string;
  readonly expires_at: string | null;
}

export interface Join {
  readonly outcome: string;
  readonly email: string;
}

export interface AccessRequest {
  readonly id: string;
  readonly status: string;
  readonly profile_email: string;
  readonly profile_name: string;
  readonly collection_name: string | null;
  readonly reason: string;
  readonly duration_days: number | null;
  readonly created_at: string;
  readonly decided_at: string | null;
  readonly answer: string | null;
}

export interface UsageQuery {
  readonly by: UsageGrouping;
  readonly from?: Instant;
  readonly to?: Instant;
  readonly profile?: string;
  readonly collection?: string;
}

export interface UsageLine {
  readonly day?: string;
  readonly profile_email?: string;
  /** Null for what concerns no single collection. */
  readonly collection_name?: string | null;
  readonly reads: number;
  readonly searches: number;
  readonly slices: number;
  readonly credential_reads: number;
  /** Requests beyond the limit of a profile; absent if the server is of a version that does not count them. */
  readonly refused?: number;
}

export interface AuditQuery {
  /** `system`: what was changed; `client`: what callers report themselves. */
  readonly source: 'system' | 'client';
  readonly actor?: string;
  readonly action?: string;
  readonly since?: Instant;
  readonly limit: number;
}

export interface AuditLine {
  readonly timestamp: string;
  /** An e-mail or the name of a service account; null for the service itself, the operator, and who is gone. */
  readonly actor: string | null;
  readonly message: Readonly<Record<string, unknown>>;
}
