import { createTestClient, type ApiKey, type CallOptions, type TestClient } from '../client.ts';
import type { Reply } from '../reply.ts';
import { expectStatus, textOf } from '../subject.ts';
import type { MatrixService, TokenClaims } from './matrix-service.ts';

export interface Person extends TokenClaims {
  /** Of the profile; an unknown id if there is none. */
  readonly id: string;
  readonly token: string;
  readonly key: ApiKey | null;
  readonly role: 'admin' | 'client';
  readonly status: 'pending' | 'approved' | 'rejected';
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
  | 'adminOfIssuerOff'
  | 'admin';

export type World = Awaited<ReturnType<typeof createWorld>>;

export const unknownId = '99999999-9999-4999-8999-999999999999';
/** The credential of the granted collection: only its metadata may show it. */
export const targetSecret = 'credential-of-the-target-api';
export const smallDocument = {
  openapi: '3.0.3',
  info: { title: 'Weather', version: '1' },
  servers: [{ url: 'https://{place}.example.com/v1', variables: { place: { default: 'api' } } }],
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
/** Names its one operation. */
export const smallOperation = '3tf453nz26xw4zwc';
const collectionFields = { description: 'Rain, wind and sun for every place', openapi_spec: smallDocument };

/**
 * Creates the standing objects of the matrix: a person of every kind, a collection that is granted, one that is not
 * and one that is asked for, a tier, an override and an audit entry. `make` makes more of each, for requests that change them.
 */
export const createWorld = async (service: MatrixService) => {
  const client = await createTestClient(service.address);
  const make = createMaker(service, client);
  const granted = await make.collection('Granted forecast', {
    authentication: { type: 'apiKey', name: 'X-Weather-Key', in: 'header', value: targetSecret },
  });
  const hidden = await make.collection('Hidden forecast');
  const cast = await castOf(make, granted);
  const tier = await make.tier('standing');
  const override = await make.override(cast.client.id);
  const discoverable = await make.collection('Discoverable forecast', { discoverable: true });
  const request = await make.request(cast.granted, discoverable);
  const json = { message: { action: 'standing' }, timestamp: '2026-01-31T09:30:00+01:00' };
  await make.asAdmin('POST', '/api/audit/', { json }, 201);
  await service.runJobs();
  return {
    service,
    client,
    make,
    cast,
    granted,
    hidden,
    discoverable,
    request,
    tier,
    override,
    /** Names for the standing objects, by their identifiers. */
    names: new Map([
      [granted, 'the granted collection'],
      [hidden, 'the hidden collection'],
      [discoverable, 'the discoverable collection'],
      [request, 'the request'],
      ...Object.entries(cast).flatMap(([kind, { id, key }]): [string, string][] => [
        [id, `the profile ${kind}`],
        ...(key ? [[key.clientId, `the client ${kind}`] as [string, string]] : []),
      ]),
    ]),
    close: async (): Promise<void> => {
      client.close();
      await service.close();
    },
  };
};

type Maker = ReturnType<typeof createMaker>;

const castOf = async (make: Maker, granted: string): Promise<Readonly<Record<PersonKind, Person>>> => {
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
    adminOfIssuerOff: await person('adminOfIssuerOff'),
    admin: await make.firstAdmin(),
  };
};

const createMaker = (service: MatrixService, client: TestClient) => {
  const { adminToken } = service;
  let made = 0;
  /** Returns an unused name. */
  const nextName = (): string => `fresh-${++made}`;
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

  const person = async (kind: PersonKind, granted: string, uid: string): Promise<Person> => {
    if (kind === 'stranger') {
      const email = `${uid}@example.com`.toLowerCase();
      const token = await service.mintToken({ uid, email }, 3_600);
      return { id: unknownId, uid, email, token, key: null, role: 'client', status: 'pending' };
    }
    const registered = await register(uid, kind !== 'unbound');
    switch (kind) {
      case 'pending':
        return registered;
      case 'pendingGranted':
        return grant(registered, granted);
      case 'rejected':
        return reject(registered);
      case 'rejectedGranted':
        return reject(await grant(registered, granted));
      case 'client':
        return approve(registered);
      case 'granted':
        return grant(await approve(registered), granted);
      case 'deleted':
        return remove(await grant(await approve(registered), granted));
      case 'promoted':
        return changeRole(await grant(await approve(registered), granted), 'admin');
      case 'demoted':
        return changeRole(await changeRole(await grant(await approve(registered), granted), 'admin'), 'client');
      case 'unbound':
        return grant(await approve(registered), granted);
      case 'adminOfIssuerOff':
        await service.bindByIssuerOff(registered.id);
        return changeRole(registered, 'admin');
      case 'admin':
        return changeRole(registered, 'admin');
    }
  };

  const collection = async (name = nextName(), fields: Readonly<Record<string, unknown>> = {}): Promise<string> => {
    const json = { name, ...collectionFields, ...fields };
    return textOf((await asAdmin('POST', '/api/collections/', { json }, 201)).body.id);
  };
  /** A pending request of the person, for a new collection unless it names one. */
  const request = async ({ token }: Person, collectionId?: string): Promise<string> => {
    const collection_id = collectionId ?? (await collection(nextName(), { discoverable: true }));
    const json = { collection_id, reason: 'To know when it rains' };
    return textOf(expectStatus(await client.call('POST', '/api/access/requests', { token, json }), 201).body.id);
  };

  return {
    nextName,
    asAdmin,
    grant,
    collection,
    request,
    person: (kind: PersonKind, granted: string, uid = nextName()): Promise<Person> => person(kind, granted, uid),
    firstAdmin: async (): Promise<Person> => {
      const { id, email } = (await asAdmin('GET', '/api/profiles/me', {}, 200)).body;
      const facts = { key: null, role: 'admin', status: 'approved' } as const;
      return { id: textOf(id), uid: 'local-admin', email: textOf(email), token: adminToken, ...facts };
    },
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
