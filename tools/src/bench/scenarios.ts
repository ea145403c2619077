import type { Catalog } from './catalog.ts';
import type { BenchRequest } from './measure.ts';

export interface Scenario {
  readonly name: string;
  /** At most this many times the CPU of bare Express; null if there is no budget. */
  readonly budget: number | null;
  readonly connections: number;
  readonly request: BenchRequest;
}

const gzip = { 'accept-encoding': 'gzip' };

export const scenarios = ({
  key,
  fewGrants,
  token,
  fewToken,
  small,
  large,
  withCredential,
}: Catalog): readonly Scenario[] => {
  const bearer = { authorization: `Bearer ${token}` };
  const read = (path: string, headers: Readonly<Record<string, string>>): BenchRequest => ({
    path: `/api/collections/${path}`,
    headers,
  });
  const post = (
    path: string,
    headers: Readonly<Record<string, string>>,
    body: unknown,
    status = 200,
  ): BenchRequest => ({
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    status,
  });
  return [
    {
      name: 'metadata without a stored credential, by key',
      budget: 2,
      connections: 8,
      request: read(`${small}/metadata`, key),
    },
    { name: 'the same by identity token', budget: 2.2, connections: 8, request: read(`${small}/metadata`, bearer) },
    {
      name: 'metadata with a stored credential (audited)',
      budget: 4,
      connections: 8,
      request: read(`${withCredential}/metadata`, key),
    },
    { name: 'collection of 10 KB, gzip', budget: 2, connections: 8, request: read(small, { ...key, ...gzip }) },
    { name: 'collection of 100 KB, gzip', budget: 2.5, connections: 8, request: read(large, { ...key, ...gzip }) },
    { name: 'collection of 100 KB, no coding', budget: null, connections: 8, request: read(large, key) },
    {
      name: 'list of 100 granted collections',
      budget: 3,
      connections: 8,
      request: read('', { authorization: `Bearer ${fewToken}` }),
    },
    {
      name: 'search, 10 % of all visible (with embedding the query)',
      budget: null,
      connections: 8,
      request: post('/api/vector/search', key, { query: 'weather report' }),
    },
    {
      name: 'search, 100 visible (with embedding the query)',
      budget: null,
      connections: 8,
      request: post('/api/vector/search', fewGrants, { query: 'weather report' }),
    },
    {
      name: 'audit entry, 32 callers at once',
      budget: 4,
      connections: 32,
      request: post('/api/audit/', key, { message: { action: 'api_call', status_code: 200 } }, 201),
    },
  ];
};
