import { expect } from 'vitest';
import type { CallOptions } from '../client.ts';
import type { Reply } from '../reply.ts';
import { malformedBodies, rejectedBodiesOf } from './bodies.ts';
import type { CallerName } from './callers.ts';
import { conflicts } from './conflicts.ts';
import type { Target } from './endpoint.ts';
import { rotateList, type MatrixCase } from './matrix-case.ts';
import { expectBadRequest, expectError, errors } from './errors.ts';
import { isServed, pathOf, credentialOf, rows, send, allowedCaller, type Row } from './request.ts';
import { expectedErrorOf } from './rule.ts';
import { withParameter, pathParameterOf } from './path-parameters.ts';
import type { World } from './world.ts';

const requiresCredential = ({ auth }: Row): boolean => auth !== 'free' && auth !== 'open';
const acceptsBody = ({ badBodies }: Row): boolean => badBodies !== undefined;

/** Returns variants of a request: for existing and missing objects, with valid and invalid bodies and queries. */
const variantsOf = (world: World, row: Row): readonly (readonly [Target, CallOptions])[] => {
  const target = row.target(world);
  const targets = [
    target,
    ...row.variables.flatMap((variable) => {
      const { missingValue, malformedValues } = pathParameterOf(variable);
      return [missingValue, ...malformedValues].map((value) => withParameter(target, variable, value));
    }),
  ];
  const bodies: readonly CallOptions[] = [...rejectedBodiesOf(row), ...Object.values(malformedBodies)];
  return [
    ...targets.map((variant) => [variant, {}] as const),
    ...targets.slice(0, 2).flatMap((variant) => bodies.map((body) => [variant, body] as const)),
    ...row.badQueries.map((query) => [{ ...target, query }, {}] as const),
  ];
};

const volatileHeaders: ReadonlySet<string> = new Set(['date', 'x-request-id', 'ratelimit', 'connection', 'keep-alive']);

/** Returns a response without the headers that vary between requests. */
const withoutVolatileHeaders = ({ status, headers, text }: Reply) => {
  const stableHeaders = Object.entries(headers).filter(([name]) => !volatileHeaders.has(name));
  return { status, headers: Object.fromEntries(stableHeaders), text };
};

const expectNoLeak = async (world: World, row: Row, caller: CallerName): Promise<Reply> => {
  const error = expectedErrorOf(row, caller);
  if (!error) throw new Error(`${caller} is not rejected by ${row.name}`);
  const credential = await credentialOf(world, caller);
  const firstReply = await send(world, row, row.target(world), credential);
  expectError(firstReply, error);
  for (const [target, { headers = [], ...body }] of variantsOf(world, row)) {
    const options = { ...credential, ...body, headers: [...(credential.headers ?? []), ...headers] };
    expect(withoutVolatileHeaders(await send(world, row, target, options))).toEqual(withoutVolatileHeaders(firstReply));
  }
  return firstReply;
};

/** A denied caller learns nothing: the response to every variant of the request is the same, byte for byte. */
export const leakCases: readonly MatrixCase[] = rows.filter(requiresCredential).flatMap((row, index) => {
  const outsiders: readonly CallerName[] = ['an anonymous caller', 'an expired token', 'an unregistered person'];
  const insiders: readonly CallerName[] = ['a client with a grant, by token', 'a pending profile'];
  const isOwnProfile = row.path.startsWith('/api/profiles/me');
  const account: CallerName = 'a service account with usage:read';
  const deniedCallers = [
    ...outsiders.filter((caller) => !isOwnProfile || caller !== 'an unregistered person'),
    ...(row.auth === 'admin' || row.auth === 'admin or owner' ? insiders : []),
    ...(expectedErrorOf(row, account) ? [account] : []),
  ];
  return rotateList(index, deniedCallers).map((caller) => ({
    name: `${row.name} leaks nothing to ${caller} about existing objects or valid input`,
    covers: [row.name, caller],
    run: async (world, record) => record(await expectNoLeak(world, row, caller)),
  }));
});

/** An admitted caller gets a 404 for an unknown identifier, well-formed or not. */
export const missingCases: readonly MatrixCase[] = rows.flatMap((row) =>
  row.variables.map((variable) => ({
    name: `${row.name} returns 404 if {${variable}} is unknown or malformed`,
    run: async (world, record) => {
      const { missingValue, malformedValues, errorsByMethod = {}, ...parameter } = pathParameterOf(variable);
      const error = errorsByMethod[row.method] ?? parameter.error;
      const admittedCallers: readonly CallerName[] =
        row.auth === 'token or key' && variable === 'collection_id'
          ? [
              'the first admin',
              'a client without a grant, by token',
              'a client with a grant, by key',
              'a rejected profile',
            ]
          : [row.auth === 'free' ? 'an anonymous caller' : 'the first admin'];
      for (const caller of admittedCallers) {
        const credential = await credentialOf(world, caller);
        for (const value of [missingValue, ...malformedValues]) {
          const reply = await send(world, row, withParameter(row.target(world), variable, value), credential);
          expectError(reply, error);
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
    ...row.variables.map((variable) => withParameter(target, variable, pathParameterOf(variable).missingValue)),
  ];
};

/** A 400 comes after a 401 and a 403 for the role, and before a 404. */
const badBodyCases: readonly MatrixCase[] = rows.filter(acceptsBody).map((row) => ({
  name: `${row.name} returns 400 for an invalid body, whether the target exists or not`,
  run: async (world, record) => {
    const credential = await credentialOf(world, allowedCaller(row));
    for (const body of rejectedBodiesOf(row)) {
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
    name: `${row.name} returns 400 for an invalid query, whether the target exists or not`,
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
export const conflictCases: readonly MatrixCase[] = conflicts.map(({ name, endpoint, target: targetOf, error }) => ({
  name: `${endpoint} with ${name} returns ${error.status} ${error.detail}, after every other check`,
  run: async (world, record) => {
    const row = rows.find((endpointRow) => endpointRow.name === endpoint);
    if (!row) throw new Error(`There is no ${endpoint}`);
    const target = targetOf(world);
    const credential = await credentialOf(world, allowedCaller(row));
    const reply = await send(world, row, target, credential);
    expectError(reply, error);
    record(reply);
    for (const body of rejectedBodiesOf(row)) {
      expectBadRequest(
        await send(world, row, { ...target, json: undefined }, { ...credential, ...body }),
        'Invalid request body',
      );
    }
    if (row.auth !== 'admin' && row.auth !== 'admin or owner') return;
    expectError(await send(world, row, target, {}), errors.invalidToken);
    const client = await credentialOf(world, 'a client with a grant, by token');
    const denied = row.auth === 'admin' ? errors.adminRequired : errors.ownerRequired;
    expectError(await send(world, row, target, client), denied);
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
      const { missingValue, malformedValues } = pathParameterOf('client_id');
      for (const caller of ['a client with a grant, by token', 'a client with a grant, by key'] as const) {
        const credential = await credentialOf(world, caller);
        const otherClientIds = [
          client.key?.clientId ?? '',
          client.id,
          pending.id,
          promoted.id,
          missingValue,
          ...malformedValues,
        ];
        for (const client_id of otherClientIds) {
          const reply = await send(world, row, { params: { client_id } }, credential);
          expectError(reply, errors.adminRequired);
          record(reply);
        }
        const ownReply = await send(world, row, { params: { client_id: granted.id } }, credential);
        expect([ownReply.status, ownReply.body.client_id]).toEqual([200, granted.key?.clientId]);
        record(ownReply, row);
      }
    },
  },
];

const isUnserved = (world: World, row: Row): boolean => !isServed(world, row);
const allMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];
const withoutTrailingSlash = (path: string): string => path.replace(/\/$/, '');

/** An unsupported method is rejected before authentication. */
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
        for (const method of allMethods.filter((candidate) => !knownMethods.includes(candidate))) {
          for (const options of [{}, admin, { token: 'garbage', ...malformedBodies['malformed JSON'] }]) {
            for (const variant of [requestPath, `${withoutTrailingSlash(requestPath.replace(/\?.*/, ''))}/`]) {
              const reply = await world.client.call(method, variant, options);
              expectError(reply, errors.methodNotAllowed);
              const allowedMethods = new Set((reply.headers.allow ?? '').split(', '));
              expect(allowedMethods).toEqual(
                new Set([...knownMethods, ...(knownMethods.includes('GET') ? ['HEAD'] : [])]),
              );
              record(reply, row);
            }
          }
        }
      },
    };
  },
);

/** An unknown path is rejected before authentication. */
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
            expectError(reply, errors.notFound);
            record(reply);
          }
        }
      }
    },
  },
];
