import type { ConsoleService, Person } from './console-service.ts';
import { hostileDocument, hostileName, hostileNote, hostileProse, longLink, longName } from './hostile-texts.ts';

export interface HostileSeed {
  /** An approved client with access to the hostile API. */
  readonly client: Person;
  /** The hostile API and group that the URLs of pages contain. */
  readonly api: { readonly id: string; readonly name: string };
  readonly group: { readonly id: string; readonly name: string };
}

/** Puts hostile text in every place where a person can write text: all records, and the actions on them. */
export const seedHostileTexts = async (service: ConsoleService): Promise<HostileSeed> => {
  const { request } = service;
  const api = await addApis(service);
  await request('POST', '/api/rate-limits/tiers', {
    tier: 'hostile',
    allowed_limit: 1_000,
    window_seconds: 60,
    description: hostileNote('description of a tier'),
  });
  const groupName = hostileName('group');
  const group = await request<Created>('POST', '/api/groups', {
    name: groupName,
    description: hostileNote('description of a group'),
    tier: 'hostile',
  });
  await request('POST', `/api/groups/${group.id}/collections/${api.open.id}`);
  const client = await addPeople(service, group.id, groupName);
  await requestAccess(service, client, api);
  await addLongWords(service);
  await request('POST', '/api/service-accounts', { name: hostileName('service account'), scopes: ['catalog:read'] });
  await request(
    'POST',
    '/api/audit/',
    { message: { action: hostileName('action'), text: hostileProse('audit'), '<script>': [hostileName('value')] } },
    client,
  );
  return { client, api: api.open, group: { id: group.id, name: groupName } };
};

interface Created {
  readonly id: string;
}

const addApis = async ({ request }: ConsoleService) => {
  const add = async (kind: string) => {
    const name = hostileName(`${kind} API`);
    const { id } = await request<Created>('POST', '/api/collections/', {
      name,
      description: hostileProse(`description of the ${kind} API`),
      openapi_spec: hostileDocument(name),
      authentication: { type: 'apiKey', name: 'X-Key', value: 'the credential', in: 'header' },
      discoverable: true,
    });
    return { id, name };
  };
  return { open: await add('open'), requested: await add('requested'), denied: await add('denied') };
};

const personOf = (name: string, groups?: readonly string[]): Person => ({
  uid: `${name}"><img src=x onerror=alert('uid')>`,
  email: `${name}@example.com`,
  ...(groups ? { groups } : {}),
});

const addPeople = async (service: ConsoleService, groupId: string, groupName: string): Promise<Person> => {
  const { request, register } = service;
  const hostileNames = (kind: string) => ({ fullName: hostileName(`${kind} name`), company: hostileName('company') });
  const client = personOf('client', [groupName, hostileName('claimed group')]);
  const id = await register(client, hostileNames('client'));
  await request('POST', `/api/groups/${groupId}/members/${id}`);
  // A token with groups in a claim.
  await request('GET', '/api/profiles/me', undefined, client);
  await register(personOf('waiting'), { ...hostileNames('waiting'), approved: false });
  const rejectedId = await register(personOf('rejected'), { ...hostileNames('rejected'), approved: false });
  await request('POST', `/api/profiles/${rejectedId}/reject`, { reason: hostileNote('rejection') });
  const suspendedId = await register(personOf('suspended'), hostileNames('suspended'));
  await request('POST', `/api/profiles/${suspendedId}/suspend`);
  return client;
};

/** Adds words that are wider than any column to the records in lists. */
const addLongWords = async ({ request, register }: ConsoleService): Promise<void> => {
  const { id } = await request<Created>('POST', '/api/collections/', {
    name: longName('API'),
    description: longLink,
    openapi_spec: hostileDocument(longName('title')),
    discoverable: true,
  });
  const group = await request<Created>('POST', '/api/groups', {
    name: longName('group'),
    description: longName('description'),
  });
  const names = (kind: string) => ({ fullName: longName(kind), company: longName('company') });
  const longPerson: Person = { uid: 'long', email: `${'m'.repeat(50)}@${'m'.repeat(50)}.example.com` };
  await register(
    { uid: 'long waiting', email: `waiting-${longPerson.email}` },
    { ...names('waiting'), approved: false },
  );
  await register(longPerson, names('person'));
  await request('POST', `/api/groups/${group.id}/members`, { profiles: [longPerson.email] });
  await request('POST', '/api/access/grants', { profiles: [longPerson.email], groups: [group.id], collections: [id] });
  await request('POST', '/api/rate-limits/overrides', {
    client_id: longPerson.email,
    allowed_limit: 9,
    window_seconds: 60,
  });
  const otherApi = await request<Created>('POST', '/api/collections/', {
    name: longName('another API'),
    openapi_spec: { openapi: '3.1.0', info: { title: 'Other', version: '1' }, paths: {} },
    discoverable: true,
  });
  await request('POST', '/api/access/requests', { collection_id: otherApi.id, reason: longName('reason') }, longPerson);
};

const requestAccess = async (
  { request }: ConsoleService,
  client: Person,
  { requested, denied }: Awaited<ReturnType<typeof addApis>>,
): Promise<void> => {
  await request('POST', '/api/access/requests', { collection_id: requested.id, reason: hostileNote('reason') }, client);
  const deniedRequest = await request<Created>(
    'POST',
    '/api/access/requests',
    { collection_id: denied.id, reason: hostileNote('reason of a denied request') },
    client,
  );
  await request('POST', `/api/access/requests/${deniedRequest.id}/deny`, { reason: hostileNote('denial') });
};
