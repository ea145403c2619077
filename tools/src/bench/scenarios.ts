import type { Catalog } from './catalog.ts';
import type { BenchRequest } from './connection.ts';
import { words } from './words.ts';

/** A kind of request. */
export interface Scenario {
  readonly name: string;
  /**
   * The maximum multiple of bare Express's CPU time, embedded and on PostgreSQL with Redis; null if there is no budget.
   */
  readonly budget: { readonly embedded: number | null; readonly servers: number | null };
  /** The number of concurrent callers. */
  readonly callers: number;
  /** Whether the cost depends on the number of collections. */
  readonly needsManyCollections: boolean;
  readonly request: (catalog: Catalog) => BenchRequest;
}

const gzip = { 'accept-encoding': 'gzip' };
const toBearerHeaders = (token: string) => ({ authorization: `Bearer ${token}` });

const post = (path: string, headers: Readonly<Record<string, string>>, body: NonNullable<BenchRequest['body']>) => ({
  method: 'POST' as const,
  path,
  headers: { ...headers, 'content-type': 'application/json' },
  body,
});

const searchBody = (query: string): string => JSON.stringify({ query });
/** Returns a unique query: three words and a number. */
const createUniqueSearchBody = (number: number): string => {
  const wordAt = (step: number) => words[Math.floor(number / words.length ** step) % words.length] ?? '';
  return searchBody(`${wordAt(0)} ${wordAt(1)} ${wordAt(2)} ${number}`);
};

const readScenario = (name: string, embedded: number | null, request: Scenario['request']): Scenario => ({
  ...{ name, request, callers: 8, needsManyCollections: false },
  budget: { embedded, servers: embedded === null ? null : 6 },
});

const searchScenario = (name: string, request: Scenario['request']): Scenario => ({
  ...{ name, request, callers: 8, needsManyCollections: true },
  budget: { embedded: null, servers: null },
});

export const scenarios: readonly Scenario[] = [
  readScenario('metadata without a stored credential, by key', 1.8, ({ smallCollection, broadClient }) => ({
    path: `/api/collections/${smallCollection}/metadata`,
    headers: broadClient.key,
  })),
  readScenario('metadata by identity token', 1.8, ({ smallCollection, broadToken }) => ({
    path: `/api/collections/${smallCollection}/metadata`,
    headers: toBearerHeaders(broadToken),
  })),
  {
    name: 'metadata with a stored credential (audited)',
    budget: { embedded: 6, servers: 12 },
    ...{ callers: 8, needsManyCollections: false },
    request: ({ credentialCollection, broadClient }) => ({
      path: `/api/collections/${credentialCollection}/metadata`,
      headers: broadClient.key,
    }),
  },
  readScenario('collection of 10 KB, gzip', 1.8, ({ smallCollection, broadClient }) => ({
    path: `/api/collections/${smallCollection}`,
    headers: { ...broadClient.key, ...gzip },
  })),
  readScenario('collection not modified (304)', 1.8, ({ smallCollection, smallTag, broadClient }) => ({
    path: `/api/collections/${smallCollection}`,
    headers: { ...broadClient.key, ...gzip, 'if-none-match': smallTag },
    status: 304,
  })),
  readScenario('collection of 100 KB, gzip', 2.2, ({ largeCollection, broadClient }) => ({
    path: `/api/collections/${largeCollection}`,
    headers: { ...broadClient.key, ...gzip },
  })),
  readScenario('collection of 100 KB, no coding', null, ({ largeCollection, broadClient }) => ({
    path: `/api/collections/${largeCollection}`,
    headers: broadClient.key,
  })),
  readScenario('list of 100 granted collections', 2.5, ({ narrowToken }) => ({
    path: '/api/collections/',
    headers: toBearerHeaders(narrowToken),
  })),
  searchScenario('search, 10 % visible, the same query', ({ broadClient }) =>
    post('/api/vector/search', broadClient.key, searchBody('weather report')),
  ),
  searchScenario('search, 10 % visible, unique queries', ({ broadClient }) =>
    post('/api/vector/search', broadClient.key, createUniqueSearchBody),
  ),
  searchScenario('search, 100 visible, the same query', ({ narrowClient }) =>
    post('/api/vector/search', narrowClient.key, searchBody('weather report')),
  ),
  {
    name: 'audit entry, 32 callers at once',
    budget: { embedded: 4, servers: null },
    ...{ callers: 32, needsManyCollections: false },
    request: ({ broadClient }) => ({
      ...post('/api/audit/', broadClient.key, JSON.stringify({ message: { action: 'api_call', status_code: 200 } })),
      status: 201,
    }),
  },
];
