import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/index.ts';
import type { CallOptions } from '../client.ts';
import { keyOf } from '../matrix/callers.ts';
import type { MatrixService } from '../matrix/matrix-service.ts';
import { refusals, scopeRequired, type Refusal } from '../matrix/refusals.ts';
import { isServed, pathOf, rows, type Row } from '../matrix/request.ts';
import { createWorld, type Person, type PersonKind, type World } from '../matrix/world.ts';
import { beginRequest, type BegunRequest } from './begin-request.ts';

const { invalidToken, invalidKey, adminRequired } = refusals;

const byToken = ({ token }: Person): CallOptions => ({ token });
const byKey = (person: Person): CallOptions => ({ key: keyOf(person) });

/** Something that takes a caller's rights away, and what it is answered from then on. */
interface Loss {
  readonly what: string;
  readonly person: PersonKind;
  readonly credential: (person: Person) => CallOptions;
  readonly lose: (world: World, person: Person) => Promise<unknown>;
  /** Null for a row that it may still call. */
  readonly refusal: (row: Row) => Refusal | null;
}

const asAdmin =
  (method: string, path: (id: string) => string, json?: unknown): Loss['lose'] =>
  ({ make }, { id }) =>
    make.asAdmin(method, path(id), json === undefined ? {} : { json }, 200);

const suspend = asAdmin('POST', (id) => `/api/profiles/${id}/suspend`);
const remove = asAdmin('DELETE', (id) => `/api/profiles/${id}`);
const changeRole = (role: string) => asAdmin('PUT', (id) => `/api/profiles/${id}/role`, { role });
const ofAccount = (id: string) => `/api/service-accounts/${id}`;

/** Some endpoints tell a valid token without a profile so. */
const unregistered: Loss['refusal'] = ({ except }) => except?.['an unregistered person'] ?? invalidToken;

const ofAdmin = { person: 'admin', credential: byToken, refusal: () => invalidToken } as const;
const ofClient = { person: 'granted', credential: byToken, refusal: () => invalidToken } as const;
const ofKey = { person: 'granted', credential: byKey, refusal: () => invalidKey } as const;
const ofEveryScope = { person: 'everyScope', credential: byToken, refusal: () => invalidToken } as const;

const losses: readonly Loss[] = [
  { what: 'an admin was suspended', ...ofAdmin, lose: suspend },
  { what: 'an admin was deleted', ...ofAdmin, lose: remove, refusal: unregistered },
  {
    what: 'an admin was demoted',
    ...ofAdmin,
    lose: changeRole('client'),
    refusal: ({ auth }) => (auth === 'admin' ? adminRequired : null),
  },
  { what: 'a client with a token was suspended', ...ofClient, lose: suspend },
  { what: 'a client with a token was deleted', ...ofClient, lose: remove, refusal: unregistered },
  { what: 'the owner of a key was suspended', ...ofKey, lose: suspend },
  { what: 'the owner of a key was deleted', ...ofKey, lose: remove },
  { what: 'the owner of a key was promoted', ...ofKey, lose: changeRole('admin') },
  { what: 'a key was rotated', ...ofKey, lose: asAdmin('POST', (id) => `/api/profiles/${id}/credentials`, {}) },
  { what: 'a key has expired', ...ofKey, lose: ({ service }, { id }) => service.expireKey(id) },
  { what: 'a service account was revoked', ...ofEveryScope, lose: asAdmin('DELETE', ofAccount) },
  {
    what: 'a service account was rotated',
    ...ofEveryScope,
    lose: asAdmin('POST', (id) => `${ofAccount(id)}/rotate`, {}),
  },
  { what: 'a service account has expired', ...ofEveryScope, lose: ({ service }, { id }) => service.expireAccount(id) },
  {
    what: 'a service account lost its scopes',
    ...ofEveryScope,
    lose: asAdmin('PUT', ofAccount, { scopes: ['usage:read'] }),
    refusal: ({ scope }) => (scope === null || scope === 'usage:read' ? null : scopeRequired(scope)),
  },
];

const withBody: ReadonlySet<string> = new Set(
  routes.filter(({ body }) => body).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
);

/** The endpoints that take a body of this caller. */
const rowsOf = (world: World, { person, credential }: Pick<Loss, 'person' | 'credential'>): readonly Row[] =>
  rows.filter(
    (row) =>
      withBody.has(row.name) &&
      isServed(world, row) &&
      (person === 'everyScope' ? row.scope !== null : row.auth !== 'free' && row.auth !== 'open') &&
      (person !== 'granted' || row.auth === 'token or key' || (credential === byToken && row.auth === 'token')),
  );

/** Everything that answers from the set of collections that its caller may see. */
const mcp = (name: string, given: object) => [
  'POST',
  '/mcp',
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
];
const searches = (collectionId: string) =>
  [
    ['POST', '/api/vector/search', { query: 'weather forecast', k_limit: 100 }],
    ['POST', '/api/operations/search', { query: 'read the weather forecast', k_limit: 100 }],
    mcp('search_operations', { query: 'read the weather forecast' }),
    mcp('list_apis', {}),
    mcp('get_api', { collection_id: collectionId, include_credential: true }),
  ] as readonly (readonly [string, string, object])[];

/** How a client with access to the granted collection loses it. */
const lostGrants: readonly {
  readonly what: string;
  readonly person: PersonKind;
  readonly lose: (world: World, person: Person) => Promise<unknown>;
}[] = [
  {
    what: 'its grant was revoked',
    person: 'granted',
    lose: ({ make, granted }, { id }) =>
      make.asAdmin('DELETE', `/api/access/clients/${id}/collections/${granted}`, {}, 200),
  },
  {
    what: 'its grant has expired',
    person: 'granted',
    lose: ({ service, granted }, { id }) => service.expireGrant(id, granted),
  },
  {
    what: 'it has left the group',
    person: 'member',
    lose: ({ make, group }, { id }) => make.asAdmin('DELETE', `/api/groups/${group}/members/${id}`, {}, 200),
  },
];

export interface ReplicatedService extends MatrixService {
  /** The address of another process of the service; requests are held back there. */
  readonly replica?: string;
}

/**
 * Tests that a request is judged by what is true when its last byte has come: a caller that holds it back loses what is
 * taken from it meanwhile.
 */
export const lateBodiesSuite = (start: () => Promise<ReplicatedService>): void => {
  let world: World;
  let service: ReplicatedService;
  beforeAll(async () => {
    service = await start();
    world = await createWorld(service);
  });
  afterAll(() => world.close());

  const begin = (method: string, path: string, options: CallOptions): Promise<BegunRequest> =>
    beginRequest(service.replica ?? service.address, method, path, options);

  test.each(losses)('once $what, no body that ends later is taken', async (loss) => {
    const person = await world.make.person(loss.person, world.granted);
    const begun: { row: Row; refusal: Refusal; end: BegunRequest['end'] }[] = [];
    for (const row of rowsOf(world, loss)) {
      const refusal = loss.refusal(row);
      if (!refusal) continue;
      const aim = row.aim(world);
      const options = { ...loss.credential(person), json: aim.json };
      begun.push({ row, refusal, ...(await begin(row.method, pathOf(row, aim), options)) });
    }
    expect(begun.length).toBeGreaterThan(2);
    await loss.lose(world, person);
    const answers = await Promise.all(
      begun.map(async ({ row, end }) => {
        const { status, text } = await end();
        return [row.name, status, text];
      }),
    );
    expect(answers).toEqual(
      begun.map(({ row, refusal: { status, detail } }) => [row.name, status, JSON.stringify({ detail })]),
    );
  });

  test.each(lostGrants)('once $what, no search whose body ends later shows the collection', async (lost) => {
    const { granted } = world;
    const person = await world.make.person(lost.person, granted);
    const all = searches(granted);
    for (const [method, path, json] of all) {
      const { end } = await begin(method, path, { ...byKey(person), json });
      expect((await end()).text, path).toContain(granted);
    }
    const begun: BegunRequest[] = [];
    for (const [method, path, json] of all) begun.push(await begin(method, path, { ...byKey(person), json }));
    await lost.lose(world, person);
    const answers = await Promise.all(begun.map(({ end }) => end()));
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 200));
    for (const { text } of answers) expect(text).not.toMatch(new RegExp(`"collection_id\\W+${granted}|credential-of`));
  });

  test('a request whose body comes late is counted once', async () => {
    const person = await world.make.person('granted', world.granted);
    const remaining = async (): Promise<number> => {
      const { end } = await begin('POST', '/api/vector/search', { ...byKey(person), json: { query: 'weather' } });
      const { headers } = await end();
      return Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
    };
    const first = await remaining();
    expect(await remaining()).toBe(first - 1);
  });
};
