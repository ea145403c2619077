import type { ApiClient, Credential } from '../src/api-client.ts';
import { eventually, type Client } from './faults/traffic.ts';

/** A document whose texts all name what must not be seen. */
export const documentWith = (...paths: readonly string[]) => ({
  openapi: '3.0.3',
  info: { title: 'Tonwire', version: '1' },
  servers: [{ url: 'https://tonwire.example/v1' }],
  paths: Object.fromEntries(
    paths.map((path) => [path, { post: { summary: `Send a text message by ${path}`, responses: {} } }]),
  ),
});
export const isSeen = (text: string): boolean => /tonwire/i.test(text);
export const query = 'send a text message';

/** An operation of such a document, with the collection that it belongs to. */
export interface Sought {
  readonly id: string;
  readonly key: string;
}

export interface Found {
  readonly collection_id: string;
  readonly operation_key: string;
  readonly path: string;
}

export const search = (api: ApiClient, caller: Credential) =>
  api.ask<readonly Found[]>(caller, 'POST', '/api/operations/search', { query, k_limit: 100 });

/** Waits until each replica finds the operation and its collection. */
export const untilFound = async (
  replicas: readonly ApiClient[],
  admin: Credential,
  id: string,
  path: string,
): Promise<Sought> => {
  const sought = (found: readonly Found[]) => found.find((each) => each.collection_id === id && each.path === path);
  const lists = replicas.map(async (api) => {
    await eventually(
      () => textAt(api, admin, 'POST', vectorSearchPath, { query, k_limit: 100 }),
      (text) => text.includes(id),
    );
    return eventually(
      () => search(api, admin),
      (found) => sought(found) !== undefined,
    );
  });
  const [found = []] = await Promise.all(lists);
  return { id, key: sought(found)?.operation_key ?? '' };
};

export const usagePath = '/api/usage?by=collection';
const vectorSearchPath = '/api/vector/search';
const collectionsPath = '/api/collections/';

/** Each way to see a collection or its operations. */
type View = (api: ApiClient, client: Client, sought: Sought) => Promise<SeenAnswer>;

export interface SeenAnswer {
  readonly status: number;
  readonly text: string;
}

const byKey =
  (method: string, path: (sought: Sought) => string, body?: object): View =>
  (api, { key }, sought) =>
    answerAt(api, key, method, path(sought), body);

const byToken =
  (method: string, path: (sought: Sought) => string, body?: object): View =>
  (api, { token }, sought) =>
    answerAt(api, token, method, path(sought), body);

const byTool =
  (name: string, given: (sought: Sought) => object): View =>
  (api, client, sought) =>
    toolAnswer(api, client, name, given(sought));

const collectionOf = ({ id }: Sought): string => `/api/collections/${id}`;
const operationOf = ({ id, key }: Sought): string => `/api/collections/${id}/operations/${key}`;

const allViews = {
  collections: byToken('GET', () => collectionsPath),
  page: byToken('GET', () => `${collectionsPath}?limit=5&q=tonwire`),
  read: byKey('GET', collectionOf),
  'read by token': byToken('GET', collectionOf),
  metadata: byKey('GET', (sought) => `${collectionOf(sought)}/metadata`),
  'metadata by token': byToken('GET', (sought) => `${collectionOf(sought)}/metadata`),
  catalog: byKey('GET', () => '/api/catalog'),
  'catalog by token': byToken('GET', () => '/api/catalog'),
  'vector search': byKey('POST', () => vectorSearchPath, { query }),
  'vector search by token': byToken('POST', () => vectorSearchPath, { query }),
  search: byKey('POST', () => '/api/operations/search', { query }),
  'search by token': byToken('POST', () => '/api/operations/search', { query }),
  list: byToken('GET', (sought) => `${collectionOf(sought)}/operations`),
  slice: byKey('GET', operationOf),
  'full slice': byToken('GET', (sought) => `${operationOf(sought)}?detail=full`),
  tool: byKey('GET', (sought) => `${operationOf(sought)}?as=tool`),
  openapi: byToken('GET', (sought) => `${operationOf(sought)}?as=openapi`),
  'openapi.json': byKey('GET', (sought) => `${collectionOf(sought)}/openapi.json`),
  'openapi.yaml': byToken('GET', (sought) => `${collectionOf(sought)}/openapi.yaml`),
  search_operations: byTool('search_operations', () => ({ query })),
  describe_operation: byTool('describe_operation', ({ id, key }) => ({ collection_id: id, operation_key: key })),
  list_apis: byTool('list_apis', () => ({})),
  search_apis: byTool('search_apis', () => ({ query })),
  get_api: byTool('get_api', ({ id }) => ({ collection_id: id })),
  usage: byKey('GET', () => usagePath),
} as const satisfies Readonly<Record<string, View>>;

export type ViewName = keyof typeof allViews;
export const viewNames = Object.keys(allViews) as readonly ViewName[];

/** What each of the views, or of some of them, answers to the client at a replica. */
export const answersOf = async (
  api: ApiClient,
  client: Client,
  sought: Sought,
  names: readonly ViewName[] = viewNames,
): Promise<readonly (SeenAnswer & { readonly name: ViewName })[]> => {
  const ask = async (name: ViewName) => ({ name, ...(await allViews[name](api, client, sought)) });
  const slices = async () => {
    const answers = [];
    for (const name of names.filter((one) => ofSlices.has(one))) answers.push(await ask(name));
    return answers;
  };
  const others = names.filter((name) => !ofSlices.has(name)).map(ask);
  return (await Promise.all([slices(), Promise.all(others)])).flat();
};

/** Of one client the service takes three at once. */
const ofSlices: ReadonlySet<ViewName> = new Set(['slice', 'full slice', 'tool', 'openapi', 'describe_operation']);

/** Those of the views at a replica in whose answers the client sees the operation, or its collection. */
export const views = async (api: ApiClient, client: Client, sought: Sought): Promise<readonly ViewName[]> =>
  (await answersOf(api, client, sought)).filter(({ text }) => isSeen(text)).map(({ name }) => name);

/** Any answer. Throws for a failure of the service, which would show nothing either. */
const answerAt = async (
  api: ApiClient,
  caller: Credential,
  method: string,
  path: string,
  body?: object,
): Promise<SeenAnswer> => {
  const { status, text } = await api.read(caller, method, path, body);
  if (status >= 500) throw new Error(`${method} ${path} returned ${status}: ${text}`);
  return { status, text };
};

/** The text of any answer; throws for a failure of the service. */
export const textAt = async (api: ApiClient, caller: Credential, method: string, path: string, body?: object) =>
  (await answerAt(api, caller, method, path, body)).text;

const toolAnswer = (api: ApiClient, { key }: Client, name: string, given: object): Promise<SeenAnswer> =>
  answerAt(api, key, 'POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  });

export const toolText = async (api: ApiClient, client: Client, name: string, given: object): Promise<string> =>
  (await toolAnswer(api, client, name, given)).text;
