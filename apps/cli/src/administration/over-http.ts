import { toIso, type LimitRule } from '@portico/domain';
import { ServerRefusal } from '../server/refusals.ts';
import type { Server, ServerRequest } from '../server/server.ts';
import type {
  AccessLine,
  AccessRequest,
  Administration,
  Approval,
  AuditLine,
  AuditQuery,
  CollectionLine,
  GroupCollection,
  Join,
  KeyPair,
  ListedGroup,
  Member,
  PairOutcome,
  Pairs,
  Person,
  UsageLine,
} from './administration.ts';

/** As who the credential stands for. */
export const administrationOverHttp = (server: Server): Administration => ({
  ...people(server),
  ...access(server),
  ...collections(server),
  ...groups(server),
  ...requests(server),
  ...limits(server),
  ...reports(server),
});

type Part<Name extends keyof Administration> = Pick<Administration, Name>;
type Method = ServerRequest['method'];

/** Sends a body, if any, and returns the answer, whose shape the server promises. */
const send = async <Answer>(
  server: Server,
  scope: string | null,
  method: Method,
  path: string,
  body?: object,
): Promise<Answer> =>
  (await server.ask({ method, path, scope, ...(body ? { body: JSON.stringify(body) } : {}) })) as Answer;

/** Reads; what the query does not say is left out. */
const read = async <Answer>(
  server: Server,
  scope: string,
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>> = {},
): Promise<Answer> => (await server.ask({ method: 'GET', path, scope, query: given(query) })) as Answer;

const readAll = async <Line>(
  server: Server,
  scope: string,
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Promise<readonly Line[]> =>
  (await server.askAll({ method: 'GET', path, scope, query: given(query) })) as readonly Line[];

const given = (query: Readonly<Record<string, string | number | boolean | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]])),
  );

/** The members of these names alone, in this order, where there are any. */
const pick = <Value extends object>(value: Value, names: readonly (keyof Value)[]): Value =>
  Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]])) as Value;

const profile = (email: string): string => `/api/profiles/${encodeURIComponent(email.trim())}`;
const group = (name: string): string => `/api/groups/${encodeURIComponent(name)}`;

const personFields = [
  'email',
  'full_name',
  'company_name',
  'role',
  'registration_status',
  'tier',
  'suspended_at',
  'created_at',
] as const;
const keyFields = ['client_id', 'client_secret'] as const;

const people = (server: Server): Part<'people' | 'approve' | 'suspend' | 'resume' | 'rotateKey' | 'expireKey'> => ({
  people: async ({ status, suspended }) => {
    const asked = (include: string) =>
      read<readonly Person[]>(server, 'access:read', '/api/profiles/', {
        include,
        registration_status: status ?? undefined,
        suspended: suspended ?? undefined,
      });
    // Tiers take a scope of their own: a service account without it lists people without them.
    const found = await asked('tier,suspension').catch((error: unknown) => {
      if (error instanceof ServerRefusal && error.detail === 'Scope required: limits:write') return asked('suspension');
      throw error;
    });
    return found.map((person) => pick(person, personFields));
  },
  approve: async (emails) => {
    const body = { profiles: emails };
    const path = '/api/profiles/approve';
    const { outcomes } = await send<{ outcomes: readonly Approval[] }>(server, null, 'POST', path, body);
    return outcomes.map((outcome) => pick(outcome, ['outcome', 'email', ...keyFields]));
  },
  suspend: async (email, reason) => {
    await send(server, null, 'POST', `${profile(email)}/suspend`, reason === null ? {} : { reason });
  },
  resume: async (email) => {
    await send(server, null, 'POST', `${profile(email)}/resume`);
  },
  rotateKey: async (email, grace_seconds) =>
    pick(await send<KeyPair>(server, null, 'POST', `${profile(email)}/credentials`, { grace_seconds }), keyFields),
  expireKey: async (email, at) => {
    await send(server, null, 'PUT', `${profile(email)}/credentials`, { expires_at: at === null ? null : toIso(at) });
  },
});

const access = (server: Server): Part<'grant' | 'revoke' | 'access'> => {
  const change = async (method: Method, pairs: Pairs, end: object): Promise<readonly PairOutcome[]> => {
    const body = { profiles: pairs.emails, groups: pairs.groups, collections: pairs.collections, ...end };
    const path = '/api/access/grants';
    const { outcomes } = await send<{ outcomes: readonly PairOutcome[] }>(server, 'access:write', method, path, body);
    const names = ['outcome', 'email', 'group_name', 'collection_name', 'expires_at', 'reason'] as const;
    return outcomes.map((outcome) => pick(outcome, names));
  };
  return {
    grant: (pairs, until) =>
      change('POST', pairs, until === undefined ? {} : { expires_at: until === null ? null : toIso(until) }),
    revoke: (pairs) => change('DELETE', pairs, {}),
    access: async ({ expiringBefore, ...names }) => {
      const query = {
        ...names,
        expiring_before: expiringBefore === undefined ? undefined : toIso(expiringBefore),
        limit: 1_000,
      };
      const lines = await readAll<AccessLine>(server, 'access:read', '/api/access/matrix', query);
      return lines.map((line) => pick(line, accessFields));
    },
  };
};

const accessFields = [
  'email',
  'full_name',
  'company_name',
  'registration_status',
  'suspended_at',
  'collection_name',
  'via',
  'group_name',
  'granted_at',
  'expires_at',
] as const;
const groupFields = ['name', 'description', 'tier', 'member_count', 'collection_count'] as const;

const collections = (server: Server): Part<'collections' | 'removeCollection'> => ({
  collections: async (containing) => {
    const query = { q: containing ?? undefined, limit: 1_000 };
    const found = await readAll<CollectionLine>(server, 'catalog:read', '/api/collections/', query);
    return found.map((line) => pick(line, ['id', 'name', 'description', 'created_at', 'updated_at']));
  },
  removeCollection: async (id) => {
    await send(server, 'catalog:write', 'DELETE', `/api/collections/${encodeURIComponent(id)}`);
  },
});

const groups = (
  server: Server,
): Part<'groups' | 'group' | 'createGroup' | 'removeGroup' | 'addMembers' | 'removeMember'> => ({
  groups: async () => {
    const found = await read<readonly ListedGroup[]>(server, 'access:read', '/api/groups');
    return found.map((one) => pick(one, groupFields));
  },
  group: async (name) => {
    const whole = await read<ListedGroup & { collections: readonly GroupCollection[] }>(
      server,
      'access:read',
      group(name),
    );
    const members = await readAll<Member>(server, 'access:read', `${group(name)}/members`, { limit: 10_000 });
    return {
      ...pick<ListedGroup>(whole, groupFields),
      members: members.map((member) => pick(member, ['email', 'full_name', 'added_at', 'claimed_at'])),
      collections: whole.collections.map((one) => pick(one, ['name', 'granted_at', 'expires_at'])),
    };
  },
  createGroup: async (input) => {
    await send(server, 'access:write', 'POST', '/api/groups', input);
  },
  removeGroup: async (name) => {
    await send(server, 'access:write', 'DELETE', group(name));
  },
  addMembers: async (name, emails) => {
    const body = { profiles: emails };
    const { outcomes } = await send<{ outcomes: readonly { outcome: string; profile: string }[] }>(
      server,
      'access:write',
      'POST',
      `${group(name)}/members`,
      body,
    );
    return outcomes.map(({ outcome, profile: email }): Join => ({ outcome, email }));
  },
  removeMember: async (name, email) => {
    const member = encodeURIComponent(email.trim());
    await send(server, 'access:write', 'DELETE', `${group(name)}/members/${member}`);
  },
});

const requestFields = [
  'id',
  'status',
  'profile_email',
  'profile_name',
  'collection_name',
  'reason',
  'duration_days',
  'created_at',
  'decided_at',
  'answer',
] as const;

const requests = (server: Server): Part<'requests' | 'approveRequest' | 'denyRequest'> => ({
  requests: async (status) => {
    const query = { status: status ?? undefined, limit: 1_000 };
    const found = await readAll<AccessRequest>(server, 'access:read', '/api/access/requests', query);
    return found.map((one) => pick(one, requestFields));
  },
  approveRequest: async (id, until) => {
    const body = until === undefined ? {} : { expires_at: toIso(until) };
    await send(server, 'access:write', 'POST', `/api/access/requests/${encodeURIComponent(id)}/approve`, body);
  },
  denyRequest: async (id, reason) => {
    const body = reason === null ? {} : { reason };
    await send(server, 'access:write', 'POST', `/api/access/requests/${encodeURIComponent(id)}/deny`, body);
  },
});

const limits = (server: Server): Part<'setTier' | 'assignTier' | 'override'> => {
  const scope = 'limits:write';
  const path = '/api/rate-limits/tiers';
  const fields = ({ allowed, windowSeconds }: LimitRule) => ({ allowed_limit: allowed, window_seconds: windowSeconds });
  return {
    setTier: async (tier, rule, description) => {
      const isThere = (await read<readonly { tier: string }[]>(server, scope, path)).some((one) => one.tier === tier);
      const body = { ...fields(rule), ...(description === undefined ? {} : { description }) };
      if (isThere) await send(server, scope, 'PUT', `${path}/${encodeURIComponent(tier)}`, body);
      else await send(server, scope, 'POST', path, { tier, ...body });
      return isThere ? 'changed' : 'created';
    },
    assignTier: async (email, tier) => {
      await send(server, scope, 'PUT', `${profile(email)}/tier`, { tier });
    },
    override: async (email, rule) => {
      await send(server, scope, 'POST', '/api/rate-limits/overrides', { client_id: email, ...fields(rule) });
    },
  };
};

const usageFields = [
  'day',
  'profile_email',
  'collection_name',
  'reads',
  'searches',
  'slices',
  'credential_reads',
  'refused',
] as const;

const reports = (server: Server): Part<'usage' | 'audit'> => ({
  usage: async ({ from, to, ...query }) => {
    const times = { from: from === undefined ? undefined : toIso(from), to: to === undefined ? undefined : toIso(to) };
    const lines = await read<readonly UsageLine[]>(server, 'usage:read', '/api/usage', { ...query, ...times });
    return lines.map((line) => pick(line, usageFields));
  },
  audit: (query) => auditLines(server, query),
});

interface Entry {
  readonly timestamp: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly actor: string | null;
}

const auditPage = 100;

const auditLines = async (server: Server, query: AuditQuery): Promise<readonly AuditLine[]> => {
  const { source, actor, action, since, limit } = query;
  const from = since === undefined ? undefined : toIso(since);
  const entries: Entry[] = [];
  for (let page = 1; entries.length < limit; page++) {
    const asked = { source, actor, action, from, include: 'names', page, pageSize: auditPage };
    const { data } = await read<{ data: readonly Entry[] }>(server, 'audit:read', '/api/audit/', asked);
    entries.push(...data);
    if (data.length < auditPage) break;
  }
  return entries.slice(0, limit).map(({ timestamp, message, actor: name }) => {
    // Only what the service wrote itself is believed about who did it.
    const said = typeof message['actor'] === 'string' ? message['actor'] : null;
    return { timestamp, actor: source === 'system' ? said : name, message };
  });
};
