import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient, Credential } from '../api-client.ts';
import { expectEqual, printChapter, printLine } from './format.ts';

interface CollectionSummary {
  readonly id: string;
  readonly name: string;
}

interface ApiKey {
  readonly clientId: string;
  readonly secret: string;
}

const newcomers = ['bea', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal', 'ida', 'jon'].map((name) => `${name}@example.com`);
const emailOf = (name: string): string => `${name}@example.com`;
const sharedApi = 'Nimbara Weather';

/**
 * Shows the first day of a team of ten, on one screen. The administrator identifies people by email address, and APIs
 * by name.
 */
export const runTeamDay = async (
  api: ApiClient,
  admin: Credential,
  collections: readonly CollectionSummary[],
): Promise<void> => {
  printChapter('9. A team of ten. People are identified by email, collections by name.');
  const keys = await approveAll(api, admin);
  const names = [sharedApi, ...collections.map(({ name }) => name).filter((name) => name !== sharedApi)];
  await grantTeam(api, admin, names.slice(0, 8));
  await decideRequest(api, admin, keyIn(keys, 'ida'), collections);
  await suspend(api, admin, keyIn(keys, 'jon'));
  await showAccessMatrix(api, admin);
  await showUsage(api, admin, [keyIn(keys, 'bea'), keyIn(keys, 'cyd')], collections);
};

const approveAll = async (api: ApiClient, admin: Credential): Promise<ReadonlyMap<string, ApiKey>> => {
  for (const email of newcomers) {
    const registration = { firebase_uid: email, email, full_name: email.replace(/@.*/, '') };
    await api.request(null, 'POST', '/api/profiles/register', registration);
  }
  const pending = await api.request<unknown[]>(admin, 'GET', '/api/profiles/?registration_status=pending');
  printLine(
    'GET /api/profiles/?registration_status=pending',
    `${pending.length} pending people, in addition to Ada, who is approved`,
  );
  const { approved, outcomes } = await api.request<{
    approved: number;
    outcomes: readonly { email: string; client_id: string; client_secret: string }[];
  }>(admin, 'POST', '/api/profiles/approve', { profiles: newcomers });
  printLine('POST /api/profiles/approve', `${approved} approved, each with their own key`);
  return new Map(
    outcomes.map((outcome) => [outcome.email, { clientId: outcome.client_id, secret: outcome.client_secret }]),
  );
};

const grantTeam = async (api: ApiClient, admin: Credential, names: readonly string[]): Promise<void> => {
  await api.request(admin, 'POST', '/api/groups', { name: 'Travel' });
  const members = ['ada@example.com', ...newcomers];
  await api.request(admin, 'POST', '/api/groups/Travel/members', { profiles: members });
  printLine('POST /api/groups/Travel/members', `${members.length} members`);
  const expires_at = '2099-12-31';
  const { granted } = await api.request<{ granted: number }>(admin, 'POST', '/api/access/grants', {
    groups: ['Travel'],
    collections: names,
    expires_at,
  });
  printLine('POST /api/access/grants', `${granted} collections for the group, until ${expires_at}`);
};

const decideRequest = async (
  api: ApiClient,
  admin: Credential,
  requester: ApiKey,
  collections: readonly CollectionSummary[],
): Promise<void> => {
  const collection = collections.at(-1);
  if (!collection) throw new Error('There is no collection');
  await api.request(admin, 'PUT', `/api/collections/${collection.id}`, { discoverable: true });
  const request = { collection_id: collection.id, reason: 'To compare prices', duration_days: 30 };
  const { id } = await api.request<{ id: string }>(requester, 'POST', '/api/access/requests', request);
  printLine('POST /api/access/requests  by Ida', `${collection.name}, for 30 days`);
  const { status } = await api.request<{ status: string }>(admin, 'POST', `/api/access/requests/${id}/approve`);
  printLine(
    'POST /api/access/requests/{id}/approve',
    `${expectEqual(status, 'approved')}: the grant applies to her next request`,
  );
};

const suspend = async (api: ApiClient, admin: Credential, key: ApiKey): Promise<void> => {
  const jon = emailOf('jon');
  await api.request(admin, 'POST', `/api/profiles/${jon}/suspend`, { reason: 'Left the company' });
  const { status } = await api.call(key, 'GET', '/api/catalog');
  printLine(`POST /api/profiles/${jon}/suspend`, `his key now gets ${expectEqual(status, 401)}; his data is kept`);
};

interface MatrixRow {
  readonly via: string;
  readonly group_name: string | null;
  readonly collection_name: string;
  readonly expires_at: string | null;
}

const showAccessMatrix = async (api: ApiClient, admin: Credential): Promise<void> => {
  const rows = await api.request<readonly MatrixRow[]>(admin, 'GET', '/api/access/matrix?limit=1000');
  printLine(
    'GET /api/access/matrix',
    `${expectEqual(rows.length, 87)} rows: who may use which API, how, and until when`,
  );
  const idasRows = await api.request<readonly MatrixRow[]>(
    admin,
    'GET',
    `/api/access/matrix?profile=${emailOf('ida')}`,
  );
  const directCollections = idasRows
    .filter(({ via }) => via === 'direct')
    .map(({ collection_name }) => collection_name);
  printLine('      ?profile=ida@example.com', `${directCollections.join(', ')} by her own grant,`);
  printLine('', `${idasRows.length - directCollections.length} more as a member of Travel`);
};

interface UsageRow {
  readonly profile_email: string;
  readonly reads: number;
}

/** Shows the usage. Uses are counted immediately, and written every few seconds. */
const showUsage = async (
  api: ApiClient,
  admin: Credential,
  readers: readonly ApiKey[],
  collections: readonly CollectionSummary[],
): Promise<void> => {
  const id = collections.find(({ name }) => name === sharedApi)?.id ?? '';
  for (const reader of readers) await api.request(reader, 'GET', `/api/collections/${id}`);
  const path = `/api/usage?by=profile&collection=${encodeURIComponent(sharedApi)}`;
  const emails = [emailOf('bea'), emailOf('cyd')];
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const allRows = await api.request<readonly UsageRow[]>(admin, 'GET', path);
    const rows = allRows.filter(({ profile_email }) => emails.includes(profile_email));
    if (rows.length === emails.length) {
      printLine('GET /api/usage?by=profile', `of ${sharedApi}:`);
      for (const { profile_email, reads } of rows) printLine('', `${profile_email} ${expectEqual(reads, 1)} read`);
      return;
    }
    await pause(100);
  }
  throw new Error('The uses were not counted within two minutes');
};

const keyIn = (keys: ReadonlyMap<string, ApiKey>, name: string): ApiKey => {
  const key = keys.get(emailOf(name));
  if (!key) throw new Error(`${name} has no key`);
  return key;
};
