import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/index.ts';
import type { CallOptions } from '../client.ts';
import { keyOf } from '../matrix/callers.ts';
import type { MatrixService } from '../matrix/matrix-service.ts';
import { errors, createScopeError, keyAdvice, type ExpectedError } from '../matrix/errors.ts';
import { isServed, pathOf, rows, type Row } from '../matrix/request.ts';
import { createWorld, type Person, type PersonKind, type World } from '../matrix/world.ts';
import { startRequest, type IncompleteRequest } from './start-request.ts';

const { invalidToken, invalidKey, adminRequired, ownerRequired } = errors;

const toTokenOptions = ({ token }: Person): CallOptions => ({ token });
const toKeyOptions = (person: Person): CallOptions => ({ key: keyOf(person) });

/** A change that revokes a caller's rights, and the errors after it. */
interface RightsLoss {
  readonly reason: string;
  readonly person: PersonKind;
  readonly toCallOptions: (person: Person) => CallOptions;
  readonly revoke: (world: World, person: Person) => Promise<unknown>;
  /** Returns the error; null for a row that the caller may still call. */
  readonly errorFor: (row: Row) => ExpectedError | null;
}

const asAdmin =
  (method: string, path: (id: string) => string, json?: unknown): RightsLoss['revoke'] =>
  ({ make }, { id }) =>
    make.asAdmin(method, path(id), json === undefined ? {} : { json }, 200);

const suspend = asAdmin('POST', (id) => `/api/profiles/${id}/suspend`);
const remove = asAdmin('DELETE', (id) => `/api/profiles/${id}`);
const changeRole = (role: string) => asAdmin('PUT', (id) => `/api/profiles/${id}/role`, { role });
const accountPathOf = (id: string) => `/api/service-accounts/${id}`;

/** Returns the error for a caller without a profile: some endpoints report that a valid token has none. */
const unregisteredErrorOf: RightsLoss['errorFor'] = ({ specialErrors }) =>
  specialErrors?.['an unregistered person'] ?? invalidToken;

const adminByToken = { person: 'admin', toCallOptions: toTokenOptions, errorFor: () => invalidToken } as const;
const clientByToken = { person: 'granted', toCallOptions: toTokenOptions, errorFor: () => invalidToken } as const;
const clientByKey = { person: 'granted', toCallOptions: toKeyOptions, errorFor: () => invalidKey } as const;
const serviceAccount = { person: 'everyScope', toCallOptions: toTokenOptions, errorFor: () => invalidToken } as const;

const rightsLosses: readonly RightsLoss[] = [
  { reason: 'an admin was suspended', ...adminByToken, revoke: suspend },
  { reason: 'an admin was deleted', ...adminByToken, revoke: remove, errorFor: unregisteredErrorOf },
  {
    reason: 'an admin was demoted',
    ...adminByToken,
    revoke: changeRole('client'),
    errorFor: ({ auth }) => (auth === 'admin' ? adminRequired : auth === 'admin or owner' ? ownerRequired : null),
  },
  { reason: 'a client with a token was suspended', ...clientByToken, revoke: suspend },
  { reason: 'a client with a token was deleted', ...clientByToken, revoke: remove, errorFor: unregisteredErrorOf },
  { reason: 'the owner of a key was suspended', ...clientByKey, revoke: suspend },
  { reason: 'the owner of a key was deleted', ...clientByKey, revoke: remove },
  { reason: 'the owner of a key was promoted', ...clientByKey, revoke: changeRole('admin') },
  {
    reason: 'a key was rotated',
    ...clientByKey,
    revoke: asAdmin('POST', (id) => `/api/profiles/${id}/credentials`, {}),
  },
  { reason: 'a key has expired', ...clientByKey, revoke: ({ service }, { id }) => service.expireKey(id) },
  { reason: 'a service account was revoked', ...serviceAccount, revoke: asAdmin('DELETE', accountPathOf) },
  {
    reason: 'a service account was rotated',
    ...serviceAccount,
    revoke: asAdmin('POST', (id) => `${accountPathOf(id)}/rotate`, {}),
  },
  {
    reason: 'a service account has expired',
    ...serviceAccount,
    revoke: ({ service }, { id }) => service.expireAccount(id),
  },
  {
    reason: 'a service account lost its scopes',
    ...serviceAccount,
    revoke: asAdmin('PUT', accountPathOf, { scopes: ['usage:read'] }),
    errorFor: ({ scope }) => (scope === null || scope === 'usage:read' ? null : createScopeError(scope)),
  },
];

const endpointsWithBody: ReadonlySet<string> = new Set(
  routes.filter(({ body }) => body).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
);

/** Returns the endpoints that accept a body from this caller. */
const rowsOf = (
  world: World,
  { person, toCallOptions }: Pick<RightsLoss, 'person' | 'toCallOptions'>,
): readonly Row[] =>
  rows.filter(
    (row) =>
      endpointsWithBody.has(row.name) &&
      isServed(world, row) &&
      (person === 'everyScope' ? row.scope !== null : row.auth !== 'free' && row.auth !== 'open') &&
      (person !== 'granted' ||
        row.auth === 'token or key' ||
        (toCallOptions === toTokenOptions && row.auth === 'token')),
  );

/** Requests whose responses depend on the collections visible to their caller. */
const createToolCall = (name: string, args: object) => [
  'POST',
  '/mcp',
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
];
const createCollectionRequests = (collectionId: string) =>
  [
    ['POST', '/api/vector/search', { query: 'weather forecast', k_limit: 100 }],
    ['POST', '/api/operations/search', { query: 'read the weather forecast', k_limit: 100 }],
    createToolCall('search_operations', { query: 'read the weather forecast' }),
    createToolCall('list_apis', {}),
    createToolCall('get_api', { collection_id: collectionId }),
    createToolCall('read_credential', { collection_id: collectionId }),
  ] as readonly (readonly [string, string, object])[];

/** The ways that a client can lose access to the granted collection. */
const accessLosses: readonly {
  readonly reason: string;
  readonly person: PersonKind;
  readonly revoke: (world: World, person: Person) => Promise<unknown>;
}[] = [
  {
    reason: 'its grant was revoked',
    person: 'granted',
    revoke: ({ make, granted }, { id }) =>
      make.asAdmin('DELETE', `/api/access/clients/${id}/collections/${granted}`, {}, 200),
  },
  {
    reason: 'its grant has expired',
    person: 'granted',
    revoke: ({ service, granted }, { id }) => service.expireGrant(id, granted),
  },
  {
    reason: 'it has left the group',
    person: 'member',
    revoke: ({ make, group }, { id }) => make.asAdmin('DELETE', `/api/groups/${group}/members/${id}`, {}, 200),
  },
];

export interface ReplicatedService extends MatrixService {
  /** The URL of another process of the service, which receives the incomplete requests. */
  readonly replica?: string;
}

/**
 * Tests that a request is authorized based on the state when its last byte arrives: a caller cannot keep revoked rights
 * by delaying a body.
 */
export const lateBodiesSuite = (start: () => Promise<ReplicatedService>): void => {
  let world: World;
  let service: ReplicatedService;
  beforeAll(async () => {
    service = await start();
    world = await createWorld(service);
  });
  afterAll(() => world.close());

  const startOnReplica = (method: string, path: string, options: CallOptions): Promise<IncompleteRequest> =>
    startRequest(service.replica ?? service.address, method, path, options);

  test.each(rightsLosses)('after $reason, requests whose bodies end later are rejected', async (loss) => {
    const person = await world.make.person(loss.person, world.granted);
    const requests: { row: Row; error: ExpectedError; finish: IncompleteRequest['finish'] }[] = [];
    for (const row of rowsOf(world, loss)) {
      const error = loss.errorFor(row);
      if (!error) continue;
      const target = row.target(world);
      const options = { ...loss.toCallOptions(person), json: target.json };
      requests.push({ row, error, ...(await startOnReplica(row.method, pathOf(row, target), options)) });
    }
    expect(requests.length).toBeGreaterThan(2);
    await loss.revoke(world, person);
    const replies = await Promise.all(
      requests.map(async ({ row, finish }) => {
        const { status, text } = await finish();
        return [row.name, status, text.replace(keyAdvice, '')];
      }),
    );
    expect(replies).toEqual(
      requests.map(({ row, error: { status, detail } }) => [row.name, status, JSON.stringify({ detail })]),
    );
  });

  test.each(accessLosses)(
    'after $reason, searches whose bodies end later do not return the collection',
    async (loss) => {
      const { granted } = world;
      const person = await world.make.person(loss.person, granted);
      const calls = createCollectionRequests(granted);
      for (const [method, path, json] of calls) {
        const { finish } = await startOnReplica(method, path, { ...toKeyOptions(person), json });
        expect((await finish()).text, path).toContain(granted);
      }
      const requests: IncompleteRequest[] = [];
      for (const [method, path, json] of calls)
        requests.push(await startOnReplica(method, path, { ...toKeyOptions(person), json }));
      await loss.revoke(world, person);
      const replies = await Promise.all(requests.map(({ finish }) => finish()));
      expect(replies.map(({ status }) => status)).toEqual(calls.map(() => 200));
      for (const { text } of replies)
        expect(text).not.toMatch(new RegExp(`"collection_id\\W+${granted}|credential-of`));
    },
  );

  test('a request with a late body is counted once', async () => {
    const person = await world.make.person('granted', world.granted);
    const readRemaining = async (): Promise<number> => {
      const { finish } = await startOnReplica('POST', '/api/vector/search', {
        ...toKeyOptions(person),
        json: { query: 'weather' },
      });
      const { headers } = await finish();
      return Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
    };
    const firstRemaining = await readRemaining();
    expect(await readRemaining()).toBe(firstRemaining - 1);
  });
};
