import { words, type Catalog } from './catalog.ts';
import type { BenchRequest } from './connection.ts';

/** A kind of request. */
export interface Scenario {
  readonly name: string;
  /** At most this many times the CPU of bare Express, embedded and on PostgreSQL with Redis; null if there is none. */
  readonly budget: { readonly embedded: number; readonly servers: number } | null;
  /** How many callers ask at once. */
  readonly callers: number;
  /** What it costs depends on how many collections there are. */
  readonly wantsMany: boolean;
  readonly request: (catalog: Catalog) => BenchRequest;
}

const gzip = { 'accept-encoding': 'gzip' };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const post = (
  path: string,
  headers: Readonly<Record<string, string>>,
  body: NonNullable<BenchRequest['body']>,
  status = 200,
) => ({
  method: 'POST' as const,
  path,
  headers: { ...headers, 'content-type': 'application/json' },
  body,
  status,
});

const once = (query: string): string => JSON.stringify({ query });
/** A query that was not asked before: three words and a number. */
const everNew = (number: number): string => {
  const word = (step: number) => words[Math.floor(number / words.length ** step) % words.length] ?? '';
  return once(`${word(0)} ${word(1)} ${word(2)} ${number}`);
};

const scenario = (
  name: string,
  embedded: number | null,
  request: Scenario['request'],
  {
    servers = (embedded ?? 0) * 2,
    callers = 8,
    wantsMany = false,
  }: { readonly servers?: number; readonly callers?: number; readonly wantsMany?: boolean } = {},
): Scenario => ({ name, budget: embedded === null ? null : { embedded, servers }, callers, wantsMany, request });

export const scenarios: readonly Scenario[] = [
  scenario(
    'metadata without a stored credential, by key',
    1.8,
    ({ small, many }) => ({ path: `/api/collections/${small}/metadata`, headers: many.key }),
    { servers: 2.8 },
  ),
  scenario(
    'metadata by identity token',
    1.8,
    ({ small, manyToken }) => ({ path: `/api/collections/${small}/metadata`, headers: bearer(manyToken) }),
    { servers: 2.8 },
  ),
  scenario(
    'metadata with a stored credential (audited)',
    3.5,
    ({ withCredential, many }) => ({ path: `/api/collections/${withCredential}/metadata`, headers: many.key }),
    { servers: 6 },
  ),
  scenario(
    'collection of 10 KB, gzip',
    1.8,
    ({ small, many }) => ({ path: `/api/collections/${small}`, headers: { ...many.key, ...gzip } }),
    { servers: 2.8 },
  ),
  scenario(
    'collection not modified (304)',
    1.8,
    ({ small, smallTag, many }) => ({
      path: `/api/collections/${small}`,
      headers: { ...many.key, ...gzip, 'if-none-match': smallTag },
      status: 304,
    }),
    { servers: 2.8 },
  ),
  scenario('collection of 100 KB, gzip', 2.2, ({ large, many }) => ({
    path: `/api/collections/${large}`,
    headers: { ...many.key, ...gzip },
  })),
  scenario('collection of 100 KB, no coding', null, ({ large, many }) => ({
    path: `/api/collections/${large}`,
    headers: many.key,
  })),
  scenario('list of 100 granted collections', 2.5, ({ fewToken }) => ({
    path: '/api/collections/',
    headers: bearer(fewToken),
  })),
  scenario(
    'search, 10 % visible, the same query',
    5,
    ({ many }) => post('/api/vector/search', many.key, once('weather report')),
    { wantsMany: true },
  ),
  scenario(
    'search, 10 % visible, ever-new queries',
    null,
    ({ many }) => post('/api/vector/search', many.key, everNew),
    { wantsMany: true },
  ),
  scenario(
    'search, 100 visible, the same query',
    null,
    ({ few }) => post('/api/vector/search', few.key, once('weather report')),
    { wantsMany: true },
  ),
  scenario(
    'audit entry, 32 callers at once',
    2.5,
    ({ many }) =>
      post('/api/audit/', many.key, JSON.stringify({ message: { action: 'api_call', status_code: 200 } }), 201),
    { callers: 32 },
  ),
];
