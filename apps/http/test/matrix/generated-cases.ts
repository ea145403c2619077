import { expect } from 'vitest';
import type { CallOptions } from '../client.ts';
import type { Reply } from '../reply.ts';
import { malformedBodies, refusedBodies } from './bodies.ts';
import type { CallerName } from './callers.ts';
import { conflicts } from './conflicts.ts';
import type { Target } from './endpoint.ts';
import { startingAt, type MatrixCase } from './matrix-case.ts';
import { expectBadRequest, expectRefusal, refusals } from './refusals.ts';
import { isServed, pathOf, credentialOf, rows, send, allowedCaller, type Row } from './request.ts';
import { expectedRefusal } from './rule.ts';
import { withParameter, pathParameterOf } from './path-parameters.ts';
import type { World } from './world.ts';

const requiresCredential = ({ auth }: Row): boolean => auth !== 'free' && auth !== 'open';
const takesBody = ({ badBodies }: Row): boolean => badBodies !== undefined;

/** Returns variants of a request: for existing and missing objects, with valid and invalid bodies and queries. */
const variantsOf = (world: World, row: Row): readonly (readonly [Target, CallOptions])[] => {
  const target = row.target(world);
  const targets = [
    target,
    ...row.variables.flatMap((variable) => {
      const { missing, malformed } = pathParameterOf(variable);
      return [missing, ...malformed].map((value) => withParameter(target, variable, value));
    }),
  ];
  const bodies: readonly CallOptions[] = [...refusedBodies(row), ...Object.values(malformedBodies)];
  return [
    ...targets.map((one) => [one, {}] as const),
    ...targets.slice(0, 2).flatMap((one) => bodies.map((body) => [one, body] as const)),
    ...row.badQueries.map((query) => [{ ...target, query }, {}] as const),
  ];
};

const volatileHeaders: ReadonlySet<string> = new Set(['date', 'x-request-id', 'ratelimit', 'connection', 'keep-alive']);

/** Returns a response without the headers that vary between requests. */
const withoutVolatileHeaders = ({ status, headers, text }: Reply) => {
  const stableHeaders = Object.entries(headers).filter(([name]) => !volatileHeaders.has(name));
  return { status, headers: Object.fromEntries(stableHeaders), text };
};

const leaksNothing = async (world: World, row: Row, caller: CallerName): Promise<Reply> => {
  const refusal = expectedRefusal(row, caller);
  if (!refusal) throw new Error(`${caller} is not refused by ${row.name}`);
  const credential = await credentialOf(world, caller);
  const first = await send(world, row, row.target(world), credential);
  expectRefusal(first, refusal);
  for (const [target, { headers = [], ...body }] of variantsOf(world, row)) {
    const options = { ...credential, ...body, headers: [...(credential.headers ?? []), ...headers] };
    expect(withoutVolatileHeaders(await send(world, row, target, options))).toEqual(withoutVolatileHeaders(first));
  }
  return first;
};

/** A refused caller learns nothing: the response to every variant of the request is the same, byte for byte. */
export const leakCases: readonly MatrixCase[] = rows.filter(requiresCredential).flatMap((row, at) => {
  const outsiders: readonly CallerName[] = ['an anonymous caller', 'an expired token', 'an unregistered person'];
  const insiders: readonly CallerName[] = ['a client with a grant, by token', 'a pending profile'];
  const isOwnProfile = row.path.startsWith('/api/profiles/me');
  const account: CallerName = 'a service account with usage:read';
  const deniedCallers = [
    ...outsiders.filter((caller) => !isOwnProfile || caller !== 'an unregistered person'),
    ...(row.auth === 'admin' ? insiders : []),
    ...(expectedRefusal(row, account) ? [account] : []),
  ];
  return startingAt(at, deniedCallers).map((caller) => ({
    name: `${row.name} leaks nothing to ${caller} about existing objects or valid input`,
    covers: [row.name, caller],
    run: async (world, record) => record(await leaksNothing(world, row, caller)),
  }));
});

/** An admitted caller gets a 404 for an unknown identifier, well-formed or not. */
export const missingCases: readonly MatrixCase[] = rows.flatMap((row) =>
  row.variables.map((variable) => ({
    name: `${row.name} returns 404 if {${variable}} identifies nothing, malformed or not`,
    run: async (world, record) => {
      const { refusal, missing, malformed } = pathParameterOf(variable);
      const readers: readonly CallerName[] =
        row.auth === 'token or key' && variable === 'collection_id'
          ? [
              'the first admin',
              'a client without a grant, by token',
              'a client with a grant, by key',
              'a rejected profile',
            ]
          : [row.auth === 'free' ? 'an anonymous caller' : 'the first admin'];
      for (const caller of readers) {
        const credential = await credentialOf(world, caller);
        for (const value of [missing, ...malformed]) {
          const reply = await send(world, row, withParameter(row.target(world), variable, value), credential);
          expectRefusal(reply, refusal);
          record(reply);
        }
      }
    },
  })),
);

/** Returns the targets of a valid request and of the same request for missing objects. */
const targetsOf = (world: World, row: Row): readonly Target[] => {
  const target = row.target(world);
  return [
    target,
    ...row.variables.map((variable) => withParameter(target, variable, pathParameterOf(variable).missing)),
  ];
};

/** A 400 comes after a 401 and a 403 for the role, and before a 404. */
const badBodyCases: readonly MatrixCase[] = rows.filter(takesBody).map((row) => ({
  name: `${row.name} returns 400 for a bad body, whether its target exists or not`,
  run: async (world, record) => {
    const credential = await credentialOf(world, allowedCaller(row));
    for (const body of refusedBodies(row)) {
      for (const target of targetsOf(world, row)) {
        const reply = await send(world, row, { ...target, json: undefined }, { ...credential, ...body });
        expectBadRequest(reply, 'Invalid request body');
        record(reply);
      }
    }
  },
}));

const badQueryCases: readonly MatrixCase[] = rows
  .filter(({ badQueries }) => badQueries.length > 0)
  .map((row) => ({
    name: `${row.name} returns 400 for a bad query, whether its target exists or not`,
    run: async (world, record) => {
      const credential = await credentialOf(world, allowedCaller(row));
      for (const query of row.badQueries) {
        for (const target of targetsOf(world, row)) {
          const reply = await send(world, row, { ...target, query }, credential);
          expectBadRequest(reply, 'Invalid query parameter');
          record(reply);
        }
      }
    },
  }));

export const faultCases: readonly MatrixCase[] = [...badBodyCases, ...badQueryCases];

/** Conflicts with the stored state are checked last. */
export const conflictCases: readonly MatrixCase[] = conflicts.map(({ name, endpoint, target: targetOf, refusal }) => ({
  name: `${endpoint} with ${name} returns ${refusal.status} ${refusal.detail}, after every other check`,
  run: async (world, record) => {
    const row = rows.find((one) => one.name === endpoint);
    if (!row) throw new Error(`There is no ${endpoint}`);
    const target = targetOf(world);
    const credential = await credentialOf(world, allowedCaller(row));
    const reply = await send(world, row, target, credential);
    expectRefusal(reply, refusal);
    record(reply);
    for (const body of refusedBodies(row)) {
      expectBadRequest(
        await send(world, row, { ...target, json: undefined }, { ...credential, ...body }),
        'Invalid request body',
      );
    }
    if (row.auth !== 'admin') return;
    expectRefusal(await send(world, row, target, {}), refusals.invalidToken);
    const client = await credentialOf(world, 'a client with a grant, by token');
    expectRefusal(await send(world, row, target, client), refusals.adminRequired);
  },
}));

/** Only admins learn whether another client exists. */
export const otherClientCases: readonly MatrixCase[] = [
  {
    name: 'GET /api/rate-limits/effective/{client_id} leaks nothing about other clients, and accepts either identifier of the caller',
    run: async (world, record) => {
      const row = rows.find(({ path }) => path === '/api/rate-limits/effective/{client_id}');
      if (!row) throw new Error('There is no such endpoint');
      const { client, granted, pending, promoted } = world.people;
      const { missing, malformed } = pathParameterOf('client_id');
      for (const caller of ['a client with a grant, by token', 'a client with a grant, by key'] as const) {
        const credential = await credentialOf(world, caller);
        const others = [client.key?.clientId ?? '', client.id, pending.id, promoted.id, missing, ...malformed];
        for (const client_id of others) {
          const reply = await send(world, row, { params: { client_id } }, credential);
          expectRefusal(reply, refusals.adminRequired);
          record(reply);
        }
        const own = await send(world, row, { params: { client_id: granted.id } }, credential);
        expect([own.status, own.body.client_id]).toEqual([200, granted.key?.clientId]);
        record(own, row);
      }
    },
  },
];

const isUnserved = (world: World, row: Row): boolean => !isServed(world, row);
const allMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];
const withoutTrailingSlash = (path: string): string => path.replace(/\/$/, '');

/** An unsupported method is refused before authentication. */
export const methodCases: readonly MatrixCase[] = [...new Set(rows.map(({ path }) => withoutTrailingSlash(path)))].map(
  (path) => {
    const pathRows = rows.filter((row) => withoutTrailingSlash(row.path) === path);
    const knownMethods = pathRows.map(({ method }) => method);
    return {
      name: `${path || '/'} returns 405 for every method but ${knownMethods.join(', ')}, before authentication`,
      run: async (world, record) => {
        const [row] = pathRows;
        if (!row || isUnserved(world, row)) return;
        const requestPath = pathOf(row, row.target(world));
        const admin = await credentialOf(world, 'the first admin');
        for (const method of allMethods.filter((one) => !knownMethods.includes(one))) {
          for (const options of [{}, admin, { token: 'garbage', ...malformedBodies['malformed JSON'] }]) {
            for (const variant of [requestPath, `${withoutTrailingSlash(requestPath.replace(/\?.*/, ''))}/`]) {
              const reply = await world.client.call(method, variant, options);
              expectRefusal(reply, refusals.methodNotAllowed);
              const allowed = new Set((reply.headers.allow ?? '').split(', '));
              expect(allowed).toEqual(new Set([...knownMethods, ...(knownMethods.includes('GET') ? ['HEAD'] : [])]));
              record(reply, row);
            }
          }
        }
      },
    };
  },
);

/** An unknown path is refused before authentication. */
export const unknownPathCases: readonly MatrixCase[] = [
  {
    name: 'an unknown path returns 404, before authentication',
    run: async (world, record) => {
      const unknownPaths = rows
        .map((row) => `${withoutTrailingSlash(pathOf(row, row.target(world)).replace(/\?.*/, ''))}/nothing/here`)
        // The console's page reports unknown paths itself.
        .filter((path) => !path.startsWith('/console/'));
      const fixedPaths = [
        '/api',
        '/api/',
        '/api/nothing',
        '/api/collectionss',
        '/apis/collections',
        '/%',
        '/%zz',
        '/%00',
        '/%ff',
        '/api/%E0%A4%A',
        '/docs/%ff/x',
      ];
      const admin = await credentialOf(world, 'the first admin');
      for (const path of [...new Set([...fixedPaths, ...unknownPaths])]) {
        for (const method of ['GET', 'POST']) {
          for (const options of [{}, admin, { token: 'garbage', ...malformedBodies['malformed JSON'] }]) {
            const reply = await world.client.call(method, path, options);
            expectRefusal(reply, refusals.notFound);
            record(reply);
          }
        }
      }
    },
  },
];
