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
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const post = (path: string, headers: Readonly<Record<string, string>>, body: NonNullable<BenchRequest['body']>) => ({
  method: 'POST' as const,
  path,
  headers: { ...headers, 'content-type': 'application/json' },
  body,
});

const searchBody = (query: string): string => JSON.stringify({ query });
/** Returns a unique query: three words and a number. */
const unique = (number: number): string => {
  const word = (step: number) => words[Math.floor(number / words.length ** step) % words.length] ?? '';
  return searchBody(`${word(0)} ${word(1)} ${word(2)} ${number}`);
};

const read = (name: string, embedded: number | null, request: Scenario['request']): Scenario => ({
  ...{ name, request, callers: 8, needsManyCollections: false },
  budget: { embedded, servers: embedded === null ? null : 6 },
});

const search = (name: string, request: Scenario['request']): Scenario => ({
  ...{ name, request, callers: 8, needsManyCollections: true },
  budget: { embedded: null, servers: null },
});

export const scenarios: readonly Scenario[] = [
  read('metadata without a stored credential, by key', 1.8, ({ small, many }) => ({
    path: `/api/collections/${small}/metadata`,
    headers: many.key,
  })),
  read('metadata by identity token', 1.8, ({ small, manyToken }) => ({
    path: `/api/collections/${small}/metadata`,
    headers: bearer(manyToken),
  })),
  {
    name: 'metadata with a stored credential (audited)',
    budget: { embedded: 6, servers: 12 },
    ...{ callers: 8, needsManyCollections: false },
    request: ({ withCredential, many }) => ({
      path: `/api/collections/${withCredential}/metadata`,
      headers: many.key,
    }),
  },
  read('collection of 10 KB, gzip', 1.8, ({ small, many }) => ({
    path: `/api/collections/${small}`,
    headers: { ...many.key, ...gzip },
  })),
  read('collection not modified (304)', 1.8, ({ small, smallTag, many }) => ({
    path: `/api/collections/${small}`,
    headers: { ...many.key, ...gzip, 'if-none-match': smallTag },
    status: 304,
  })),
  read('collection of 100 KB, gzip', 2.2, ({ large, many }) => ({
    path: `/api/collections/${large}`,
    headers: { ...many.key, ...gzip },
  })),
  read('collection of 100 KB, no coding', null, ({ large, many }) => ({
    path: `/api/collections/${large}`,
    headers: many.key,
  })),
  read('list of 100 granted collections', 2.5, ({ fewToken }) => ({
    path: '/api/collections/',
    headers: bearer(fewToken),
  })),
  search('search, 10 % visible, the same query', ({ many }) =>
    post('/api/vector/search', many.key, searchBody('weather report')),
  ),
  search('search, 10 % visible, unique queries', ({ many }) => post('/api/vector/search', many.key, unique)),
  search('search, 100 visible, the same query', ({ few }) =>
    post('/api/vector/search', few.key, searchBody('weather report')),
  ),
  {
    name: 'audit entry, 32 callers at once',
    budget: { embedded: 4, servers: null },
    ...{ callers: 32, needsManyCollections: false },
    request: ({ many }) => ({
      ...post('/api/audit/', many.key, JSON.stringify({ message: { action: 'api_call', status_code: 200 } })),
      status: 201,
    }),
  },
];
