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
  readonly small: string;
  /** The id of a collection with a document of 100 KB. */
  readonly large: string;
  readonly withCredential: string;
  /** A client with a tenth of all collections, including those above. */
  readonly many: Client;
  /** A client with 100 collections. */
  readonly few: Client;
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
  readonly manyToken: string;
  readonly fewToken: string;
}

/** The number of concurrent requests. */
const callers = 8;

/**
 * Fills an empty installation over HTTP, because these calls work with every commit, and waits until its jobs are done.
 */
export const fillCatalog = async (installation: Installation, count: number): Promise<FilledCatalog> => {
  const subject = await installation.start();
  try {
    return await fill(installation, subject, count);
  } finally {
    await subject.kill();
  }
};

const fill = async (installation: Installation, subject: Subject, count: number): Promise<FilledCatalog> => {
  const api = createApiClient(subject.address);
  const admin = { token: await installation.token() };
  const many = await register(api, admin, 'many');
  const few = await register(api, admin, 'few');
  const create = async (name: string, bytes: number, grantedTo: string | null, authentication?: object) => {
    const body = { name, description: `About ${name}`, openapi_spec: document(name, bytes), authentication };
    const { id } = await api.request<{ id: string }>(admin, 'POST', '/api/collections/', body);
    if (grantedTo) await api.request(admin, 'POST', `/api/access/clients/${grantedTo}/collections/${id}`);
    return id;
  };
  const small = await create('small', 10_000, many.id);
  const large = await create('large', 100_000, many.id);
  const withCredential = await create('credential', 10_000, many.id, {
    type: 'apiKey',
    name: 'X-Key',
    value: 'secret',
  });
  let next = 0;
  // Even a small catalog contains 100 collections for the second client.
  const step = Math.max(2, Math.min(10, Math.floor(count / 100)));
  const createCollections = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) {
      const name = `${words[at % words.length] ?? ''} ${words[(at * 13) % words.length] ?? ''} ${at}`;
      const grantedTo = at % 10 === 0 ? many.id : at % step === 1 && at < 100 * step ? few.id : null;
      await create(name, 500, grantedTo);
    }
  };
  await Promise.all(Array.from({ length: callers }, createCollections));
  await waitUntilIdle(subject);
  return { small, large, withCredential, many, few };
};

/** Adds the data that is valid for a day, or only for the running version. */
export const openCatalog = async (filledCatalog: FilledCatalog, installation: Installation): Promise<Catalog> => {
  // Uses a separate connection, because those in the pool of `fetch` were opened to the previous process.
  const headers = { ...filledCatalog.many.key, 'accept-encoding': 'gzip' };
  const request = get(`${installation.address}/api/collections/${filledCatalog.small}`, { agent: false, headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const smallTag = response.resume().headers.etag;
  if (smallTag === undefined) throw new Error('A collection has no entity tag');
  return {
    ...filledCatalog,
    smallTag,
    manyToken: await installation.token('many'),
    fewToken: await installation.token('few'),
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
  const spanMs = 1_000;
  for (let before = await subject.cpuNs(); ;) {
    await pause(spanMs);
    const after = await subject.cpuNs();
    if (after - before < spanMs * 1e6 * 0.02) return;
    before = after;
  }
};

const document = (title: string, bytes: number): object => {
  const paths: Record<string, object> = {};
  for (let at = 0, length = 0; length < bytes; at++) {
    const path = `/${words[at % words.length] ?? ''}/${at}/{id}`;
    const operation = {
      operationId: `get${at}`,
      summary: `Read ${at} of ${title}`,
      responses: { 200: { description: `The ${words[(at * 7) % words.length] ?? ''} with this id` } },
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
