import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient, Credential } from '../api-client.ts';
import { agree, chapter, line } from './told.ts';

interface Listed {
  readonly id: string;
  readonly name: string;
}

interface Key {
  readonly clientId: string;
  readonly secret: string;
}

const newcomers = ['bea', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal', 'ida', 'jon'].map((name) => `${name}@example.com`);
const emailOf = (name: string): string => `${name}@example.com`;
const shared = 'Nimbara Weather';

/** The first day of a team of ten, told on one screen. The administrator names everybody by e-mail, everything by name. */
export const teamDay = async (api: ApiClient, admin: Credential, collections: readonly Listed[]): Promise<void> => {
  chapter('9. A team of ten. People and collections go by e-mail and name.');
  const keys = await approveAll(api, admin);
  const names = [shared, ...collections.map(({ name }) => name).filter((name) => name !== shared)];
  await grantTeam(api, admin, names.slice(0, 8));
  await decideRequest(api, admin, keyIn(keys, 'ida'), collections);
  await suspend(api, admin, keyIn(keys, 'jon'));
  await whoMayWhat(api, admin);
  await whoUsedWhat(api, admin, [keyIn(keys, 'bea'), keyIn(keys, 'cyd')], collections);
};

const approveAll = async (api: ApiClient, admin: Credential): Promise<ReadonlyMap<string, Key>> => {
  for (const email of newcomers) {
    const registration = { firebase_uid: email, email, full_name: email.replace(/@.*/, '') };
    await api.ask(null, 'POST', '/api/profiles/register', registration);
  }
  const waiting = await api.ask<unknown[]>(admin, 'GET', '/api/profiles/?registration_status=pending');
  line('GET /api/profiles/?registration_status=pending', `${waiting.length} people wait, beside Ada who is in`);
  const { approved, outcomes } = await api.ask<{
    approved: number;
    outcomes: readonly { email: string; client_id: string; client_secret: string }[];
  }>(admin, 'POST', '/api/profiles/approve', { profiles: newcomers });
  line('POST /api/profiles/approve', `${approved} approved, each with a key of its own`);
  return new Map(outcomes.map((one) => [one.email, { clientId: one.client_id, secret: one.client_secret }]));
};

const grantTeam = async (api: ApiClient, admin: Credential, names: readonly string[]): Promise<void> => {
  await api.ask(admin, 'POST', '/api/groups', { name: 'Travel' });
  const members = ['ada@example.com', ...newcomers];
  await api.ask(admin, 'POST', '/api/groups/Travel/members', { profiles: members });
  line('POST /api/groups/Travel/members', `${members.length} members`);
  const expires_at = '2099-12-31';
  const { granted } = await api.ask<{ granted: number }>(admin, 'POST', '/api/access/grants', {
    groups: ['Travel'],
    collections: names,
    expires_at,
  });
  line('POST /api/access/grants', `${granted} collections for the group, until ${expires_at}`);
};

const decideRequest = async (
  api: ApiClient,
  admin: Credential,
  asker: Key,
  collections: readonly Listed[],
): Promise<void> => {
  const wanted = collections.at(-1);
  if (!wanted) throw new Error('There is no collection');
  await api.ask(admin, 'PUT', `/api/collections/${wanted.id}`, { discoverable: true });
  const request = { collection_id: wanted.id, reason: 'To compare prices', duration_days: 30 };
  const { id } = await api.ask<{ id: string }>(asker, 'POST', '/api/access/requests', request);
  line('POST /api/access/requests  by Ida', `${wanted.name}, for 30 days`);
  const { status } = await api.ask<{ status: string }>(admin, 'POST', `/api/access/requests/${id}/approve`);
  line('POST /api/access/requests/{id}/approve', `${agree(status, 'approved')}: she has it with the next request`);
};

const suspend = async (api: ApiClient, admin: Credential, key: Key): Promise<void> => {
  const jon = emailOf('jon');
  await api.ask(admin, 'POST', `/api/profiles/${jon}/suspend`, { reason: 'Left the company' });
  const { status } = await api.call(key, 'GET', '/api/catalog');
  line(`POST /api/profiles/${jon}/suspend`, `his key now gets ${agree(status, 401)}; nothing of him is lost`);
};

interface Way {
  readonly via: string;
  readonly group_name: string | null;
  readonly collection_name: string;
  readonly expires_at: string | null;
}

const whoMayWhat = async (api: ApiClient, admin: Credential): Promise<void> => {
  const all = await api.ask<readonly Way[]>(admin, 'GET', '/api/access/matrix?limit=1000');
  line('GET /api/access/matrix', `${agree(all.length, 87)} rows: who may what, how, and until when`);
  const ofIda = await api.ask<readonly Way[]>(admin, 'GET', `/api/access/matrix?profile=${emailOf('ida')}`);
  const own = ofIda.filter(({ via }) => via === 'direct').map(({ collection_name }) => collection_name);
  line('      ?profile=ida@example.com', `${own.join(', ')} by her own grant,`);
  line('', `${ofIda.length - own.length} more as a member of Travel`);
};

interface Used {
  readonly profile_email: string;
  readonly reads: number;
}

/** Uses are counted at once, and written every few seconds. */
const whoUsedWhat = async (
  api: ApiClient,
  admin: Credential,
  readers: readonly Key[],
  collections: readonly Listed[],
): Promise<void> => {
  const id = collections.find(({ name }) => name === shared)?.id ?? '';
  for (const reader of readers) await api.ask(reader, 'GET', `/api/collections/${id}`);
  const path = `/api/usage?by=profile&collection=${encodeURIComponent(shared)}`;
  const emails = [emailOf('bea'), emailOf('cyd')];
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const lines = await api.ask<readonly Used[]>(admin, 'GET', path);
    const found = lines.filter(({ profile_email }) => emails.includes(profile_email));
    if (found.length === emails.length) {
      line('GET /api/usage?by=profile', `of ${shared}:`);
      for (const { profile_email, reads } of found) line('', `${profile_email} ${agree(reads, 1)} read`);
      return;
    }
    await pause(100);
  }
  throw new Error('The uses were not counted after two minutes');
};

const keyIn = (keys: ReadonlyMap<string, Key>, name: string): Key => {
  const key = keys.get(emailOf(name));
  if (!key) throw new Error(`${name} has no key`);
  return key;
};
