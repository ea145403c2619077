import type { ApiClient, Credential } from '../src/api-client.ts';
import { pollUntil, type Client } from './faults/traffic.ts';

/** Returns a document in which every text contains the name of the API that must remain invisible. */
export const documentWith = (...paths: readonly string[]) => ({
  openapi: '3.0.3',
  info: { title: 'Tonwire', version: '1' },
  servers: [{ url: 'https://tonwire.example/v1' }],
  paths: Object.fromEntries(
    paths.map((path) => [path, { post: { summary: `Send a text message by ${path}`, responses: {} } }]),
  ),
});
export const mentionsTarget = (text: string): boolean => /tonwire/i.test(text);
export const query = 'send a text message';

/** An operation in such a document, with its collection. */
export interface Target {
  readonly id: string;
  readonly key: string;
}

export interface Match {
  readonly collection_id: string;
  readonly operation_key: string;
  readonly path: string;
}

export const search = (api: ApiClient, caller: Credential) =>
  api.request<readonly Match[]>(caller, 'POST', '/api/operations/search', { query, k_limit: 100 });

/** Waits until each replica finds the operation and its collection. */
export const waitUntilFound = async (
  replicas: readonly ApiClient[],
  admin: Credential,
  id: string,
  path: string,
): Promise<Target> => {
  const findTarget = (matches: readonly Match[]) =>
    matches.find((match) => match.collection_id === id && match.path === path);
  const lists = replicas.map(async (api) => {
    await pollUntil(
      () => textAt(api, admin, 'POST', vectorSearchPath, { query, k_limit: 100 }),
      (text) => text.includes(id),
    );
    return pollUntil(
      () => search(api, admin),
      (matches) => findTarget(matches) !== undefined,
    );
  });
  const [matches = []] = await Promise.all(lists);
  return { id, key: findTarget(matches)?.operation_key ?? '' };
};

export const usagePath = '/api/usage?by=collection';
const vectorSearchPath = '/api/vector/search';
const collectionsPath = '/api/collections/';

/** A way to see a collection or its operations. */
type View = (api: ApiClient, client: Client, target: Target) => Promise<ViewResponse>;

export interface ViewResponse {
  readonly status: number;
  readonly text: string;
}

const viewByKey =
  (method: string, path: (target: Target) => string, body?: object): View =>
  (api, { key }, target) =>
    responseAt(api, key, method, path(target), body);

const viewByToken =
  (method: string, path: (target: Target) => string, body?: object): View =>
  (api, { token }, target) =>
    responseAt(api, token, method, path(target), body);

const viewByTool =
  (name: string, args: (target: Target) => object): View =>
  (api, client, target) =>
    callTool(api, client, name, args(target));

const collectionOf = ({ id }: Target): string => `/api/collections/${id}`;
const operationOf = ({ id, key }: Target): string => `/api/collections/${id}/operations/${key}`;

const allViews = {
  collections: viewByToken('GET', () => collectionsPath),
  page: viewByToken('GET', () => `${collectionsPath}?limit=5&q=tonwire`),
  read: viewByKey('GET', collectionOf),
  'read by token': viewByToken('GET', collectionOf),
  metadata: viewByKey('GET', (target) => `${collectionOf(target)}/metadata`),
  'metadata by token': viewByToken('GET', (target) => `${collectionOf(target)}/metadata`),
  catalog: viewByKey('GET', () => '/api/catalog'),
  'catalog by token': viewByToken('GET', () => '/api/catalog'),
  'vector search': viewByKey('POST', () => vectorSearchPath, { query }),
  'vector search by token': viewByToken('POST', () => vectorSearchPath, { query }),
  search: viewByKey('POST', () => '/api/operations/search', { query }),
  'search by token': viewByToken('POST', () => '/api/operations/search', { query }),
  list: viewByToken('GET', (target) => `${collectionOf(target)}/operations`),
  slice: viewByKey('GET', operationOf),
  'full slice': viewByToken('GET', (target) => `${operationOf(target)}?detail=full`),
  tool: viewByKey('GET', (target) => `${operationOf(target)}?as=tool`),
  openapi: viewByToken('GET', (target) => `${operationOf(target)}?as=openapi`),
  'openapi.json': viewByKey('GET', (target) => `${collectionOf(target)}/openapi.json`),
  'openapi.yaml': viewByToken('GET', (target) => `${collectionOf(target)}/openapi.yaml`),
  search_operations: viewByTool('search_operations', () => ({ query })),
  describe_operation: viewByTool('describe_operation', ({ id, key }) => ({ collection_id: id, operation_key: key })),
  list_apis: viewByTool('list_apis', () => ({})),
  search_apis: viewByTool('search_apis', () => ({ query })),
  get_api: viewByTool('get_api', ({ id }) => ({ collection_id: id })),
  read_credential: viewByTool('read_credential', ({ id }) => ({ collection_id: id })),
  usage: viewByKey('GET', () => usagePath),
} as const satisfies Readonly<Record<string, View>>;

export type ViewName = keyof typeof allViews;
export const viewNames = Object.keys(allViews) as readonly ViewName[];

/** Returns a replica's responses to the client for the named views; by default, for all. */
export const readViews = async (
  api: ApiClient,
  client: Client,
  target: Target,
  names: readonly ViewName[] = viewNames,
): Promise<readonly (ViewResponse & { readonly name: ViewName })[]> => {
  const readView = async (name: ViewName) => ({ name, ...(await allViews[name](api, client, target)) });
  const readSlices = async () => {
    const responses = [];
    for (const name of names.filter((viewName) => sliceViews.has(viewName))) responses.push(await readView(name));
    return responses;
  };
  const otherResponses = names.filter((name) => !sliceViews.has(name)).map(readView);
  return (await Promise.all([readSlices(), Promise.all(otherResponses)])).flat();
};

/**
 * The views that are read one after another, because the service admits at most three slice requests per client at a
 * time.
 */
const sliceViews: ReadonlySet<ViewName> = new Set(['slice', 'full slice', 'tool', 'openapi', 'describe_operation']);

/** Returns the views in which the client sees the operation or its collection at a replica. */
export const listVisibleViews = async (api: ApiClient, client: Client, target: Target): Promise<readonly ViewName[]> =>
  (await readViews(api, client, target)).filter(({ text }) => mentionsTarget(text)).map(({ name }) => name);

/** Returns any response below 500. Throws for a server error, which would show nothing either. */
const responseAt = async (
  api: ApiClient,
  caller: Credential,
  method: string,
  path: string,
  body?: object,
): Promise<ViewResponse> => {
  const { status, text } = await api.read(caller, method, path, body);
  if (status >= 500) throw new Error(`${method} ${path} returned ${status}: ${text}`);
  return { status, text };
};

/** Returns the text of any response below 500; throws for a server error. */
export const textAt = async (api: ApiClient, caller: Credential, method: string, path: string, body?: object) =>
  (await responseAt(api, caller, method, path, body)).text;

const callTool = (api: ApiClient, { key }: Client, name: string, args: object): Promise<ViewResponse> =>
  responseAt(api, key, 'POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args },
  });

export const readToolText = async (api: ApiClient, client: Client, name: string, args: object): Promise<string> =>
  (await callTool(api, client, name, args)).text;
