import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createApiClient, type ApiClient, type Credential } from '../api-client.ts';
import { emailOf, type Installation } from './installation.ts';
import type { Subject } from './subject.ts';
import { words } from './words.ts';

/** The contents of an installation: ids, and the callers' API keys. */
export interface FilledCatalog {
  /** The id of a collection with a document of 10 KB. */
  readonly smallCollection: string;
  /** The id of a collection with a document of 100 KB. */
  readonly largeCollection: string;
  readonly credentialCollection: string;
  /** A client with a tenth of all collections, including those above. */
  readonly broadClient: Client;
  /** A client with 100 collections. */
  readonly narrowClient: Client;
}

interface Client {
  readonly id: string;
  readonly key: Readonly<Record<'x-client-id' | 'x-api-key', string>>;
}

/** The objects that the requests refer to. */
export interface Catalog extends FilledCatalog {
  /** The entity tag of the gzip response for `small`. */
  readonly smallTag: string;
  /** The identity tokens of the two clients. */
  readonly broadToken: string;
  readonly narrowToken: string;
}

/** The number of concurrent requests. */
const concurrency = 8;

/**
 * Fills an empty installation over HTTP, because these calls work with every commit, and waits until its jobs are done.
 */
export const fillCatalog = async (installation: Installation, count: number): Promise<FilledCatalog> => {
  const subject = await installation.start();
  try {
    return await populateCatalog(installation, subject, count);
  } finally {
    await subject.kill();
  }
};

const populateCatalog = async (installation: Installation, subject: Subject, count: number): Promise<FilledCatalog> => {
  const api = createApiClient(subject.address);
  const admin = { token: await installation.createToken() };
  const broadClient = await register(api, admin, 'many');
  const narrowClient = await register(api, admin, 'few');
  const create = async (name: string, bytes: number, grantedTo: string | null, authentication?: object) => {
    const body = { name, description: `About ${name}`, openapi_spec: document(name, bytes), authentication };
    const { id } = await api.request<{ id: string }>(admin, 'POST', '/api/collections/', body);
    if (grantedTo) await api.request(admin, 'POST', `/api/access/clients/${grantedTo}/collections/${id}`);
    return id;
  };
  const smallCollection = await create('small', 10_000, broadClient.id);
  const largeCollection = await create('large', 100_000, broadClient.id);
  const credentialCollection = await create('credential', 10_000, broadClient.id, {
    type: 'apiKey',
    name: 'X-Key',
    value: 'secret',
  });
  let nextIndex = 0;
  // Even a small catalog contains 100 collections for the second client.
  const step = Math.max(2, Math.min(10, Math.floor(count / 100)));
  const createCollections = async (): Promise<void> => {
    for (let index = nextIndex++; index < count; index = nextIndex++) {
      const name = `${words[index % words.length] ?? ''} ${words[(index * 13) % words.length] ?? ''} ${index}`;
      const grantedTo =
        index % 10 === 0 ? broadClient.id : index % step === 1 && index < 100 * step ? narrowClient.id : null;
      await create(name, 500, grantedTo);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, createCollections));
  await waitUntilIdle(subject);
  return { smallCollection, largeCollection, credentialCollection, broadClient, narrowClient };
};

/** Adds the data that is valid for a day, or only for the running version. */
export const openCatalog = async (filledCatalog: FilledCatalog, installation: Installation): Promise<Catalog> => {
  // Uses a separate connection, because those in the pool of `fetch` were opened to the previous process.
  const headers = { ...filledCatalog.broadClient.key, 'accept-encoding': 'gzip' };
  const request = get(`${installation.address}/api/collections/${filledCatalog.smallCollection}`, {
    agent: false,
    headers,
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const smallTag = response.resume().headers.etag;
  if (smallTag === undefined) throw new Error('A collection has no entity tag');
  return {
    ...filledCatalog,
    smallTag,
    broadToken: await installation.createToken('many'),
    narrowToken: await installation.createToken('few'),
  };
};

const register = async (api: ApiClient, admin: Credential, uid: string): Promise<Client> => {
  const registration = { firebase_uid: uid, email: emailOf(uid), full_name: uid };
  const { id } = await api.request<{ id: string }>(null, 'POST', '/api/profiles/register', registration);
  const { client_id, client_secret } = await api.request<{ client_id: string; client_secret: string }>(
    admin,
    'POST',
    `/api/profiles/${id}/approve`,
  );
  return { id, key: { 'x-client-id': client_id, 'x-api-key': client_secret } };
};

/** Waits until the process uses less than 2 % of a core, which means that its jobs are done. */
const waitUntilIdle = async (subject: Subject): Promise<void> => {
  const intervalMs = 1_000;
  for (let previousNs = await subject.readCpuNs(); ;) {
    await pause(intervalMs);
    const currentNs = await subject.readCpuNs();
    if (currentNs - previousNs < intervalMs * 1e6 * 0.02) return;
    previousNs = currentNs;
  }
};

const document = (title: string, bytes: number): object => {
  const paths: Record<string, object> = {};
  for (let index = 0, length = 0; length < bytes; index++) {
    const path = `/${words[index % words.length] ?? ''}/${index}/{id}`;
    const operation = {
      operationId: `get${index}`,
      summary: `Read ${index} of ${title}`,
      responses: { 200: { description: `The ${words[(index * 7) % words.length] ?? ''} with this id` } },
    };
    paths[path] = { get: operation };
    length += path.length + JSON.stringify(operation).length + 12;
  }
  return {
    openapi: '3.0.3',
    info: { title, version: '1.0.0' },
    servers: [{ url: 'https://api.example.com/v1' }],
    paths,
  };
};
