import type { Portico } from '@portico/composition';
import {
  dateOf,
  operatorAuthority,
  parseId,
  PorticoError,
  toIso,
  type AuditFilter,
  type CollectionId,
  type Credentials,
  type Group,
  type Id,
  type Instant,
  type ListedGroup as StoredGroup,
  type ListedRequest,
  type MatrixRow,
  type PairOutcome as StoredOutcome,
  type Profile,
  type ProfileId,
  type Reference,
  type RequestId,
  type UsageLine as StoredUsage,
  type UseCases,
} from '@portico/domain';
import type {
  AccessLine,
  AccessRequest,
  Administration,
  KeyPair,
  ListedGroup,
  PairOutcome,
  Pairs,
  Person,
  UsageLine,
} from './administration.ts';

const authority = operatorAuthority;

/** On the operator's authority: the audit log names no actor. */
export const administrationOnStores = ({ useCases }: Portico): Administration => ({
  ...people(useCases),
  ...access(useCases),
  ...collections(useCases),
  ...groups(useCases),
  ...requests(useCases),
  ...limits(useCases),
  ...reports(useCases),
});

type Part<Name extends keyof Administration> = Pick<Administration, Name>;

const people = (useCases: UseCases): Part<'people' | 'approve' | 'suspend' | 'resume' | 'rotateKey' | 'expireKey'> => ({
  people: async (filter) =>
    (await useCases.listProfiles(authority, { ...filter, role: null, text: null })).map(personView),
  approve: async (emails) => {
    const outcomes = await useCases.approveMany(authority, emails.map(profileNamed));
    return outcomes.map(({ result, name, credentials }) => ({
      outcome: result,
      email: name,
      ...(credentials ? keyView(credentials) : {}),
    }));
  },
  suspend: async (email, reason) => {
    await useCases.suspendProfile(authority, await idOf(useCases, email), reason);
  },
  resume: async (email) => {
    await useCases.resumeProfile(authority, await idOf(useCases, email));
  },
  rotateKey: async (email, graceSeconds) =>
    keyView(await useCases.rotateCredentials(authority, await idOf(useCases, email), graceSeconds)),
  expireKey: async (email, at) => {
    await useCases.changeKeyExpiry(authority, await idOf(useCases, email), at);
  },
});

const access = (useCases: UseCases): Part<'grant' | 'revoke' | 'access'> => ({
  grant: async (pairs, until) => (await useCases.grantMany(authority, namedPairs(pairs), until)).map(outcomeView),
  revoke: async (pairs) => (await useCases.revokeMany(authority, namedPairs(pairs))).map(outcomeView),
  access: async ({ profile, group, collection, expiringBefore }) => {
    const lines: AccessLine[] = [];
    const pages = await useCases.exportMatrix(authority, {
      profile: profile === undefined ? null : profileNamed(profile),
      group: group === undefined ? null : named(group),
      collection: collection === undefined ? null : named(collection),
      expiringBefore: expiringBefore ?? null,
      includeExpired: false,
    });
    for await (const rows of pages) lines.push(...rows.map(accessView));
    return lines;
  },
});

const collections = (useCases: UseCases): Part<'collections' | 'removeCollection'> => ({
  collections: async (containing) =>
    (await useCases.listAllCollections(authority, containing)).map(
      ({ id, name, description, createdAt, updatedAt }) => ({
        ...{ id, name, description },
        created_at: toIso(createdAt),
        updated_at: toIso(updatedAt),
      }),
    ),
  removeCollection: async (id) => {
    const known = parseId<CollectionId>(id);
    if (!known) throw new PorticoError('collection_not_found');
    await useCases.removeCollection(authority, known);
  },
});

const groups = (
  useCases: UseCases,
): Part<'groups' | 'group' | 'createGroup' | 'removeGroup' | 'addMembers' | 'removeMember'> => ({
  groups: async () => (await useCases.listGroups(authority)).map(groupView),
  group: async (name) => {
    const id = await useCases.findGroup(authority, name);
    const members = await useCases.listMembers(authority, id);
    const collections = await useCases.listGroupCollections(authority, id);
    return {
      ...groupView(await useCases.readGroup(authority, id)),
      members: members.map(({ email, fullName, addedAt, claimedAt }) => ({
        email,
        full_name: fullName,
        added_at: isoOrNull(addedAt),
        claimed_at: isoOrNull(claimedAt),
      })),
      collections: collections.map((collection) => ({
        name: collection.name,
        granted_at: toIso(collection.grantedAt),
        expires_at: isoOrNull(collection.expiresAt),
      })),
    };
  },
  createGroup: async (group) => {
    await useCases.createGroup(authority, group);
  },
  removeGroup: async (name) => useCases.removeGroup(authority, await useCases.findGroup(authority, name)),
  addMembers: async (group, emails) => {
    const outcomes = await useCases.addMembers(authority, await useCases.findGroup(authority, group), emails);
    return outcomes.map(({ result, asked }) => ({ outcome: result, email: asked }));
  },
  removeMember: async (group, email) => {
    const id = await useCases.findGroup(authority, group);
    await useCases.removeMember(authority, id, await idOf(useCases, email));
  },
});

const requestPage = 1_000;

const requests = (useCases: UseCases): Part<'requests' | 'approveRequest' | 'denyRequest'> => ({
  requests: async (status) => {
    const found: ListedRequest[] = [];
    for (;;) {
      const last = found.at(-1);
      const after = last ? { createdAt: last.createdAt, id: last.id } : null;
      const filter = { status, profileId: null, collectionId: null };
      const page = await useCases.listAllRequests(authority, filter, { limit: requestPage, after });
      found.push(...page);
      if (page.length < requestPage) return found.map(requestView);
    }
  },
  approveRequest: async (id, until) => {
    await useCases.approveRequest(authority, requestIdOf(id), until);
  },
  denyRequest: async (id, reason) => {
    await useCases.denyRequest(authority, requestIdOf(id), reason);
  },
});

const limits = (useCases: UseCases): Part<'setTier' | 'assignTier' | 'override'> => ({
  setTier: async (tier, rule, description) => {
    const isThere = (await useCases.listTiers(false)).some((one) => one.tier === tier);
    if (isThere) await useCases.updateTier(authority, tier, { ...rule, description });
    else await useCases.createTier(authority, { tier, ...rule, description: description ?? null, isActive: true });
    return isThere ? 'changed' : 'created';
  },
  assignTier: async (email, tier) => {
    await useCases.assignTier(authority, await idOf(useCases, email), tier);
  },
  override: async (email, rule) => {
    await useCases.createOverride(authority, await findId(useCases, email), { ...rule, isActive: true });
  },
});

const reports = (useCases: UseCases): Part<'usage' | 'audit'> => ({
  usage: async ({ by, from = null, to = null, profile, collection }) => {
    const profileId = profile === undefined ? null : await idOf(useCases, profile);
    const collectionId = collection === undefined ? null : await useCases.findCollection(authority, named(collection));
    return (await useCases.reportUsage(authority, { by, from, to, profileId, collectionId })).map(usageView);
  },
  audit: async ({ source, actor, action, since, limit }) => {
    const actorId = actor === undefined ? null : await idOf(useCases, actor);
    const filter: AuditFilter = {
      source,
      ...(actorId ? { actorId } : {}),
      ...(action === undefined ? {} : { action }),
      ...(since === undefined ? {} : { from: since }),
    };
    const entries = [];
    for await (const entry of useCases.exportNamedAudit(authority, filter)) {
      entries.push(entry);
      if (entries.length === limit) break;
    }
    return entries.map(({ timestamp, message: text, actor: name }) => {
      const message = JSON.parse(text) as Readonly<Record<string, unknown>>;
      // Only what the service wrote itself is believed about who did it.
      const said = typeof message['actor'] === 'string' ? message['actor'] : null;
      return { timestamp, actor: source === 'system' ? said : name, message };
    });
  },
});

/** Throws `user_not_found`. */
const idOf = async (useCases: UseCases, email: string): Promise<ProfileId> => {
  const id = await findId(useCases, email);
  if (!id) throw new PorticoError('user_not_found');
  return id;
};

/** Null if nobody is registered with this e-mail. */
const findId = async ({ findProfileByEmail }: UseCases, email: string): Promise<ProfileId | null> =>
  (await findProfileByEmail(authority, email))?.id ?? null;

const requestIdOf = (text: string): RequestId => {
  const id = parseId<RequestId>(text);
  if (!id) throw new PorticoError('request_not_found');
  return id;
};

const named = <Named extends Id>(text: string): Reference<Named> => {
  const id = parseId<Named>(text);
  return id ? { by: 'id', id } : { by: 'name', name: text };
};
const profileNamed = (email: string): Reference<ProfileId> => named(email.trim());

const namedPairs = ({ emails, groups: names, collections }: Pairs) => ({
  profiles: emails.map(profileNamed),
  groups: names.map((name) => named<Group['id']>(name.normalize('NFC'))),
  collections: collections.map((name) => named<CollectionId>(name.normalize('NFC'))),
});

const isoOrNull = (instant: Instant | null): string | null => (instant === null ? null : toIso(instant));

const keyView = ({ clientId, secret }: Credentials): KeyPair => ({ client_id: clientId, client_secret: secret });

const personView = (profile: Profile): Person => ({
  email: profile.email,
  full_name: profile.fullName,
  company_name: profile.companyName,
  role: profile.role,
  registration_status: profile.status,
  tier: profile.tier,
  suspended_at: isoOrNull(profile.suspendedAt),
  created_at: toIso(profile.createdAt),
});

const outcomeView = ({ result, grantee, collection, expiresAt, reason }: StoredOutcome): PairOutcome => ({
  outcome: result,
  ...(grantee.kind === 'profile' ? { email: grantee.name } : { group_name: grantee.name }),
  collection_name: collection.name,
  expires_at: isoOrNull(expiresAt),
  ...(reason === null ? {} : { reason }),
});

const accessView = ({ client, collection, way }: MatrixRow): AccessLine => ({
  email: client.email,
  full_name: client.fullName,
  company_name: client.companyName,
  registration_status: client.status,
  suspended_at: isoOrNull(client.suspendedAt),
  collection_name: collection.name,
  via: way.group ? 'group' : 'direct',
  group_name: way.group?.name ?? null,
  granted_at: toIso(way.grantedAt),
  expires_at: isoOrNull(way.expiresAt),
});

const groupView = ({ name, description, tier, members, collections }: StoredGroup): ListedGroup => ({
  name,
  description,
  tier,
  member_count: members,
  collection_count: collections,
});

const requestView = (request: ListedRequest): AccessRequest => ({
  id: request.id,
  status: request.status,
  profile_email: request.email,
  profile_name: request.fullName,
  collection_name: request.collectionName,
  reason: request.reason,
  duration_days: request.durationDays,
  created_at: toIso(request.createdAt),
  decided_at: isoOrNull(request.decidedAt),
  answer: request.answer,
});

const usageView = ({ of, counts: { read, search, slice, credential_read, refused } }: StoredUsage): UsageLine => ({
  ...(of.by === 'day' ? { day: dateOf(of.day) } : {}),
  ...(of.by === 'profile' ? { profile_email: of.profileEmail } : {}),
  ...(of.by === 'collection' ? { collection_name: of.collectionName } : {}),
  ...{ reads: read, searches: search, slices: slice, credential_reads: credential_read, refused },
});
