import { scopes } from '@portico/domain';
import { createTestClient, type ApiKey, type CallOptions, type TestClient } from '../client.ts';
import type { Reply } from '../reply.ts';
import { expectStatus, textOf } from '../subject.ts';
import { startEchoingApi } from '../start-echoing-api.ts';
import type { MatrixService, TokenClaims } from './matrix-service.ts';

export interface Person extends TokenClaims {
  /** The profile's id; an unknown id if there is no profile. */
  readonly id: string;
  readonly token: string;
  readonly key: ApiKey | null;
  readonly role: 'admin' | 'client';
  readonly status: 'pending' | 'approved' | 'rejected';
  /** An identity token issued before `token`; `token` by default. */
  readonly olderToken?: string;
}

export type PersonKind =
  | 'stranger'
  | 'pending'
  | 'pendingGranted'
  | 'rejected'
  | 'rejectedGranted'
  | 'client'
  | 'granted'
  | 'deleted'
  | 'promoted'
  | 'demoted'
  | 'unbound'
  | 'member'
  | 'memberByClaim'
  | 'formerMember'
  | 'formerMemberByClaim'
  | 'adminOfIssuerOff'
  | 'suspended'
  | 'suspendedAdmin'
  | 'expiredGrant'
  | 'expiredKey'
  | 'admin'
  | AccountKind;

/** A kind of service account: with only that scope, with every scope, or with every scope and changed since. */
export type AccountKind = (typeof accountKinds)[number];

export type World = Awaited<ReturnType<typeof createWorld>>;

/** The shared group, which has a grant for the granted collection. */
const groupName = 'Standing crew';

export const unknownId = '99999999-9999-4999-8999-999999999999';
/** The credential of the granted collection. Only its metadata may contain it. */
export const targetSecret = 'credential-of-the-target-api';
export const smallDocument = {
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1' },
  servers: [{ url: 'https://{place}.example.com/v1', variables: { place: { default: 'api' } } }],
  components: { securitySchemes: { weatherKey: { type: 'apiKey', name: 'X-Weather-Key', in: 'header' } } },
  paths: {
    '/forecast': {
      get: {
        operationId: 'readForecast',
        summary: 'Read the weather forecast',
        responses: { 200: { description: 'It' } },
      },
    },
  },
};
/** The key of the only operation in `smallDocument`. */
export const smallOperationKey = '3tf453nz26xw4zwc';
const collectionFields = { description: 'Rain, wind and sun for every place', openapi_spec: smallDocument };

/**
 * Creates the shared objects of the matrix: a person of every kind, a granted, a hidden and a requested collection, a
 * dead letter, a tier, an override and an audit entry. `make` creates more of each, for requests that change them.
 */
export const createWorld = async (service: MatrixService) => {
  const client = await createTestClient(service.address);
  const make = createFactory(service, client);
  const api = await startEchoingApi();
  const granted = await make.collection('Granted forecast', {
    authentication: { type: 'apiKey', name: 'X-Weather-Key', in: 'header', value: targetSecret },
  });
  const hidden = await make.collection('Hidden forecast');
  const group = await make.group(groupName);
  await make.asAdmin('POST', `/api/groups/${group}/collections/${granted}`, {}, 201);
  await make.asAdmin('PUT', `/api/collections/${granted}/owner`, { json: { group } }, 200);
  const people = await createPeople(make, granted);
  const tier = await make.tier('standing');
  const override = await make.override(people.client.id);
  const discoverable = await make.collection('Discoverable forecast', { discoverable: true });
  const request = await make.request(people.granted, discoverable);
  const call = await make.call(people.granted, granted);
  const job = await make.deadLetter(people.client);
  const webhook = await make.webhook(api.url);
  const json = { message: { action: 'standing' }, timestamp: '2026-01-31T09:30:00+01:00' };
  await make.asAdmin('POST', '/api/audit/', { json }, 201);
  await service.runJobs();
  return {
    service,
    client,
    make,
    /** The address of an API that can be called. */
    apiUrl: api.url,
    people,
    granted,
    hidden,
    group,
    discoverable,
    request,
    call,
    job,
    webhook,
    tier,
    override,
    /** The names of the shared objects, by their identifiers. */
    names: new Map([
      [granted, 'the granted collection'],
      [hidden, 'the hidden collection'],
      [group, 'the group'],
      [discoverable, 'the discoverable collection'],
      [request, 'the request'],
      [call, 'the call'],
      [job, 'the job'],
      [webhook, 'the webhook'],
      ...Object.entries(people).flatMap(([kind, { id, key }]): [string, string][] => [
        [id, `the profile ${kind}`],
        ...(key ? [[key.clientId, `the client ${kind}`] as [string, string]] : []),
      ]),
    ]),
    close: async (): Promise<void> => {
      client.close();
      await service.close();
      await api.close();
    },
  };
};

type Factory = ReturnType<typeof createFactory>;

const createPeople = async (make: Factory, granted: string): Promise<Readonly<Record<PersonKind, Person>>> => {
  const person = (kind: PersonKind) => make.person(kind, granted, `standing-${kind}`);
  return {
    stranger: await person('stranger'),
    pending: await person('pending'),
    pendingGranted: await person('pendingGranted'),
    rejected: await person('rejected'),
    rejectedGranted: await person('rejectedGranted'),
    client: await person('client'),
    granted: await person('granted'),
    deleted: await person('deleted'),
    promoted: await person('promoted'),
    demoted: await person('demoted'),
    unbound: await person('unbound'),
    member: await person('member'),
    memberByClaim: await person('memberByClaim'),
    formerMember: await person('formerMember'),
    formerMemberByClaim: await person('formerMemberByClaim'),
    adminOfIssuerOff: await person('adminOfIssuerOff'),
    suspended: await person('suspended'),
    suspendedAdmin: await person('suspendedAdmin'),
    expiredGrant: await person('expiredGrant'),
    expiredKey: await person('expiredKey'),
    admin: await make.firstAdmin(),
    ...(await createAccounts(make)),
  };
};

const accountKinds = [
  ...scopes,
  ...(['everyScope', 'rotatedAccount', 'replacedAccount', 'expiredAccount', 'revokedAccount'] as const),
] as const;

const isAccountKind = (kind: PersonKind): kind is AccountKind =>
  accountKinds.some((accountKind) => accountKind === kind);

const createAccounts = async (make: Factory): Promise<Readonly<Record<AccountKind, Person>>> => {
  const accounts: [AccountKind, Person][] = [];
  for (const kind of accountKinds) accounts.push([kind, await make.account(kind, `standing-${kind}`)]);
  return Object.fromEntries(accounts) as Record<AccountKind, Person>;
};

const createFactory = (service: MatrixService, client: TestClient) => {
  const { adminToken } = service;
  let nameCount = 0;
  /** Returns an unused name. */
  const nextName = (): string => `fresh-${++nameCount}`;
  const asAdmin = async (method: string, path: string, options: CallOptions, status: number): Promise<Reply> =>
    expectStatus(await client.call(method, path, { token: adminToken, ...options }), status);

  const register = async (uid: string, isBound: boolean): Promise<Person> => {
    const email = `${uid}@example.com`.toLowerCase();
    const json = { firebase_uid: uid, email, full_name: `Person ${uid}` };
    const { id } = expectStatus(await client.call('POST', '/api/profiles/register', { json }), 201).body;
    const token = await service.mintToken({ uid, email }, 3_600);
    // The first request by token binds the profile.
    if (isBound) expectStatus(await client.call('GET', '/api/profiles/me', { token }), 200);
    return { id: textOf(id), uid, email, token, key: null, role: 'client', status: 'pending' };
  };
  const approve = async (person: Person): Promise<Person> => {
    const { body } = await asAdmin('POST', `/api/profiles/${person.id}/approve`, {}, 200);
    const key = { clientId: textOf(body.client_id), secret: textOf(body.client_secret) };
    return { ...person, key, status: 'approved' };
  };
  const reject = async (person: Person): Promise<Person> => {
    await asAdmin('POST', `/api/profiles/${person.id}/reject`, {}, 200);
    return { ...person, status: 'rejected' };
  };
  const remove = async (person: Person): Promise<Person> => {
    await asAdmin('DELETE', `/api/profiles/${person.id}`, {}, 200);
    return person;
  };
  const changeRole = async (person: Person, role: Person['role']): Promise<Person> => {
    await asAdmin('PUT', `/api/profiles/${person.id}/role`, { json: { role } }, 200);
    return { ...person, role, status: 'approved' };
  };
  const grant = async (person: Person, collection: string): Promise<Person> => {
    await asAdmin('POST', `/api/access/clients/${person.id}/collections/${collection}`, {}, 201);
    return person;
  };

  const membersPath = `/api/groups/${encodeURIComponent(groupName)}/members`;
  const join = async (person: Person): Promise<Person> => {
    await asAdmin('POST', `${membersPath}/${person.id}`, {}, 201);
    return person;
  };
  const leave = async (person: Person): Promise<Person> => {
    await asAdmin('DELETE', `${membersPath}/${person.id}`, {}, 200);
    return person;
  };
  /** Sends one request with a new token that contains these groups. */
  const signIn = async (person: Person, groups: readonly string[]): Promise<Person> => {
    await service.waitForNextSecond();
    const token = await service.mintToken({ uid: person.uid, email: person.email, groups }, 3_600);
    expectStatus(await client.call('GET', '/api/profiles/me', { token }), 200);
    return { ...person, token, olderToken: person.token };
  };

  const account = async (kind: AccountKind, name: string): Promise<Person> => {
    const ownScope = scopes.find((scope) => scope === kind);
    const json = { name, scopes: ownScope ? [ownScope] : scopes };
    const { id, token } = (await asAdmin('POST', '/api/service-accounts', { json }, 201)).body;
    const path = `/api/service-accounts/${textOf(id)}`;
    switch (kind) {
      case 'rotatedAccount':
        await asAdmin('POST', `${path}/rotate`, { json: { grace_seconds: 86_400 } }, 200);
        break;
      case 'replacedAccount':
        await asAdmin('POST', `${path}/rotate`, {}, 200);
        break;
      case 'expiredAccount':
        await service.expireAccount(textOf(id));
        break;
      case 'revokedAccount':
        await asAdmin('DELETE', path, {}, 200);
    }
    const fields = { key: null, role: 'admin', status: 'approved' } as const;
    return { id: textOf(id), uid: name, email: `service account ${name}`, token: textOf(token), ...fields };
  };

  const suspend = async (person: Person): Promise<Person> => {
    await asAdmin('POST', `/api/profiles/${person.id}/suspend`, {}, 200);
    return person;
  };

  const createPerson = async (
    kind: Exclude<PersonKind, AccountKind>,
    granted: string,
    uid: string,
  ): Promise<Person> => {
    if (kind === 'stranger') {
      const email = `${uid}@example.com`.toLowerCase();
      const token = await service.mintToken({ uid, email }, 3_600);
      return { id: unknownId, uid, email, token, key: null, role: 'client', status: 'pending' };
    }
    const profile = await register(uid, kind !== 'unbound');
    switch (kind) {
      case 'pending':
        return profile;
      case 'pendingGranted':
        return grant(profile, granted);
      case 'rejected':
        return reject(profile);
      case 'rejectedGranted':
        return reject(await grant(profile, granted));
      case 'client':
        return approve(profile);
      case 'granted':
        return grant(await approve(profile), granted);
      case 'deleted':
        return remove(await grant(await approve(profile), granted));
      case 'promoted':
        return changeRole(await grant(await approve(profile), granted), 'admin');
      case 'demoted':
        return changeRole(await changeRole(await grant(await approve(profile), granted), 'admin'), 'client');
      case 'member':
        return join(await approve(profile));
      case 'memberByClaim':
        return signIn(await approve(profile), ['another crew', groupName]);
      case 'formerMember':
        return leave(await join(await approve(profile)));
      case 'formerMemberByClaim':
        return signIn(await signIn(await approve(profile), [groupName]), []);
      case 'unbound':
        return grant(await approve(profile), granted);
      case 'adminOfIssuerOff':
        await service.bindToDisabledIssuer(profile.id);
        return changeRole(profile, 'admin');
      case 'suspended':
        return suspend(await grant(await approve(profile), granted));
      case 'suspendedAdmin':
        return suspend(await changeRole(profile, 'admin'));
      case 'expiredGrant': {
        const client = await grant(await approve(profile), granted);
        await service.expireGrant(client.id, granted);
        return client;
      }
      case 'expiredKey': {
        const client = await grant(await approve(profile), granted);
        await service.expireKey(client.id);
        return client;
      }
      case 'admin':
        return changeRole(profile, 'admin');
    }
  };

  const collection = async (name = nextName(), fields: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const json = { name, ...collectionFields, ...fields };
    return textOf((await asAdmin('POST', '/api/collections/', { json }, 201)).body.id);
  };
  /** Creates a pending request from the person, for a new collection by default. */
  const request = async ({ token }: Person, collectionId?: string): Promise<string> => {
    const collection_id = collectionId ?? (await collection(nextName(), { discoverable: true }));
    const json = { collection_id, reason: 'To know when it rains' };
    return textOf(expectStatus(await client.call('POST', '/api/access/requests', { token, json }), 201).body.id);
  };

  return {
    nextName,
    account,
    asAdmin,
    grant,
    collection,
    request,
    call: ({ key }: Person, collectionId: string): Promise<string> => {
      if (!key) throw new Error('The caller of a held call needs a key');
      return service.holdCall(key, collectionId);
    },
    deadLetter: ({ id }: Person): Promise<string> => service.addDeadLetter(id),
    /** Creates a webhook that is sent nothing but tests. */
    webhook: async (url: string): Promise<string> =>
      textOf((await asAdmin('POST', '/api/webhooks', { json: { url, active: false } }, 201)).body.id),
    person: (kind: PersonKind, granted: string, uid = nextName()): Promise<Person> =>
      isAccountKind(kind) ? account(kind, uid) : createPerson(kind, granted, uid),
    firstAdmin: async (): Promise<Person> => {
      const { id, email } = (await asAdmin('GET', '/api/profiles/me', {}, 200)).body;
      const fields = { key: null, role: 'admin', status: 'approved' } as const;
      return { id: textOf(id), uid: 'local-admin', email: textOf(email), token: adminToken, ...fields };
    },
    group: async (name = nextName()): Promise<string> =>
      textOf((await asAdmin('POST', '/api/groups', { json: { name } }, 201)).body.id),
    tier: async (tier = nextName()): Promise<string> => {
      const json = { tier, allowed_limit: 1_000_000, window_seconds: 60 };
      return textOf((await asAdmin('POST', '/api/rate-limits/tiers', { json }, 201)).body.tier);
    },
    override: async (clientId: string): Promise<string> => {
      const json = { client_id: clientId, allowed_limit: 1_000_000, window_seconds: 60 };
      return String((await asAdmin('POST', '/api/rate-limits/overrides', { json }, 201)).body.id);
    },
  };
};
