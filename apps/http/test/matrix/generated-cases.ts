import { expect } from 'vitest';
import type { CallOptions } from '../client.ts';
import type { Reply } from '../reply.ts';
import { malformedBodies, refusedBodies } from './bodies.ts';
import type { CallerName } from './callers.ts';
import { conflicts } from './conflicts.ts';
import type { Aim } from './endpoint.ts';
import { startingAt, type MatrixCase } from './matrix-case.ts';
import { expectBadRequest, expectRefusal, refusals } from './refusals.ts';
import { isServed, pathOf, presented, rows, send, welcome, type Row } from './request.ts';
import { expectedRefusal } from './rule.ts';
import { aimedAt, targetOf } from './targets.ts';
import type { World } from './world.ts';

const refuses = ({ auth }: Row): boolean => auth !== 'free' && auth !== 'open';
const takesBody = ({ badBodies }: Row): boolean => badBodies !== undefined;

/** Returns variants of a request: about existing and missing objects, with valid and invalid bodies and queries. */
const variantsOf = (world: World, row: Row): readonly (readonly [Aim, CallOptions])[] => {
  const aim = row.aim(world);
  const aims = [
    aim,
    ...row.variables.flatMap((variable) => {
      const { missing, malformed } = targetOf(variable);
      return [missing, ...malformed].map((value) => aimedAt(aim, variable, value));
    }),
  ];
  const bodies: readonly CallOptions[] = [...refusedBodies(row), ...Object.values(malformedBodies)];
  return [
    ...aims.map((one) => [one, {}] as const),
    ...aims.slice(0, 2).flatMap((one) => bodies.map((body) => [one, body] as const)),
    ...row.badQueries.map((query) => [{ ...aim, query }, {}] as const),
  ];
};

const momentary: ReadonlySet<string> = new Set(['date', 'x-request-id', 'ratelimit', 'connection', 'keep-alive']);

/** Returns an answer without the headers that differ each time. */
const wholeOf = ({ status, headers, text }: Reply) => {
  const lasting = Object.entries(headers).filter(([name]) => !momentary.has(name));
  return { status, headers: Object.fromEntries(lasting), text };
};

const saysNothing = async (world: World, row: Row, caller: CallerName): Promise<Reply> => {
  const refusal = expectedRefusal(row, caller);
  if (!refusal) throw new Error(`${caller} is not refused by ${row.name}`);
  const credential = await presented(world, caller);
  const first = await send(world, row, row.aim(world), credential);
  expectRefusal(first, refusal);
  for (const [aim, { headers = [], ...body }] of variantsOf(world, row)) {
    const options = { ...credential, ...body, headers: [...(credential.headers ?? []), ...headers] };
    expect(wholeOf(await send(world, row, aim, options))).toEqual(wholeOf(first));
  }
  return first;
};

/** A refused caller learns nothing: the answer is the same, byte for byte, whatever the request. */
export const discretionCases: readonly MatrixCase[] = rows.filter(refuses).flatMap((row, at) => {
  const outsiders: readonly CallerName[] = ['an anonymous caller', 'an expired token', 'an unregistered person'];
  const insiders: readonly CallerName[] = ['a client with a grant, by token', 'a pending profile'];
  const isOwn = row.path.startsWith('/api/profiles/me');
  const machine: CallerName = 'a service account with usage:read';
  const refused = [
    ...outsiders.filter((caller) => !isOwn || caller !== 'an unregistered person'),
    ...(row.auth === 'admin' ? insiders : []),
    ...(expectedRefusal(row, machine) ? [machine] : []),
  ];
  return startingAt(at, refused).map((caller) => ({
    name: `${row.name} tells ${caller} nothing about what exists or what is valid`,
    covers: [row.name, caller],
    run: async (world, tell) => tell(await saysNothing(world, row, caller)),
  }));
});

/** An admitted caller gets a 404 for an unknown identifier, well-formed or not. */
export const missingCases: readonly MatrixCase[] = rows.flatMap((row) =>
  row.variables.map((variable) => ({
    name: `${row.name} returns 404 if {${variable}} names nothing, malformed or not`,
    run: async (world, tell) => {
      const { refusal, missing, malformed } = targetOf(variable);
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
        const credential = await presented(world, caller);
        for (const value of [missing, ...malformed]) {
          const reply = await send(world, row, aimedAt(row.aim(world), variable, value), credential);
          expectRefusal(reply, refusal);
          tell(reply);
        }
      }
    },
  })),
);

/** A valid request, and the same about missing objects. */
const aimsOf = (world: World, row: Row): readonly Aim[] => {
  const aim = row.aim(world);
  return [aim, ...row.variables.map((variable) => aimedAt(aim, variable, targetOf(variable).missing))];
};

/** 400 comes after 401 and 403 by role, and before 404. */
const badBodyCases: readonly MatrixCase[] = rows.filter(takesBody).map((row) => ({
  name: `${row.name} returns 400 for a bad body, whether its target exists or not`,
  run: async (world, tell) => {
    const credential = await presented(world, welcome(row));
    for (const body of refusedBodies(row)) {
      for (const aim of aimsOf(world, row)) {
        const reply = await send(world, row, { ...aim, json: undefined }, { ...credential, ...body });
        expectBadRequest(reply, 'Invalid request body');
        tell(reply);
      }
    }
  },
}));

const badQueryCases: readonly MatrixCase[] = rows
  .filter(({ badQueries }) => badQueries.length > 0)
  .map((row) => ({
    name: `${row.name} returns 400 for a bad query, whether its target exists or not`,
    run: async (world, tell) => {
      const credential = await presented(world, welcome(row));
      for (const query of row.badQueries) {
        for (const aim of aimsOf(world, row)) {
          const reply = await send(world, row, { ...aim, query }, credential);
          expectBadRequest(reply, 'Invalid query parameter');
          tell(reply);
        }
      }
    },
  }));

export const faultCases: readonly MatrixCase[] = [...badBodyCases, ...badQueryCases];

/** Conflicts with the stored state are checked last. */
export const conflictCases: readonly MatrixCase[] = conflicts.map(({ name, endpoint, aim, refusal }) => ({
  name: `${endpoint} with ${name} returns ${refusal.status} ${refusal.detail}, after every other check`,
  run: async (world, tell) => {
    const row = rows.find((one) => one.name === endpoint);
    if (!row) throw new Error(`There is no ${endpoint}`);
    const asked = aim(world);
    const credential = await presented(world, welcome(row));
    const reply = await send(world, row, asked, credential);
    expectRefusal(reply, refusal);
    tell(reply);
    for (const body of refusedBodies(row)) {
      expectBadRequest(
        await send(world, row, { ...asked, json: undefined }, { ...credential, ...body }),
        'Invalid request body',
      );
    }
    if (row.auth !== 'admin') return;
    expectRefusal(await send(world, row, asked, {}), refusals.invalidToken);
    const client = await presented(world, 'a client with a grant, by token');
    expectRefusal(await send(world, row, asked, client), refusals.adminRequired);
  },
}));

/** Only admins learn whether another client exists. */
export const otherClientCases: readonly MatrixCase[] = [
  {
    name: 'GET /api/rate-limits/effective/{client_id} tells a client nothing about others, and its own limit by either identifier',
    run: async (world, tell) => {
      const row = rows.find(({ path }) => path === '/api/rate-limits/effective/{client_id}');
      if (!row) throw new Error('There is no such endpoint');
      const { client, granted, pending, promoted } = world.cast;
      const { missing, malformed } = targetOf('client_id');
      for (const caller of ['a client with a grant, by token', 'a client with a grant, by key'] as const) {
        const credential = await presented(world, caller);
        const others = [client.key?.clientId ?? '', client.id, pending.id, promoted.id, missing, ...malformed];
        for (const client_id of others) {
          const reply = await send(world, row, { params: { client_id } }, credential);
          expectRefusal(reply, refusals.adminRequired);
          tell(reply);
        }
        const own = await send(world, row, { params: { client_id: granted.id } }, credential);
        expect([own.status, own.body.client_id]).toEqual([200, granted.key?.clientId]);
        tell(own, row);
      }
    },
  },
];

const unserved = (world: World, row: Row): boolean => !isServed(world, row);
const allMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];
const bare = (path: string): string => path.replace(/\/$/, '');

/** A method that a path does not have is refused before authentication. */
export const methodCases: readonly MatrixCase[] = [...new Set(rows.map(({ path }) => bare(path)))].map((path) => {
  const own = rows.filter((row) => bare(row.path) === path);
  const known = own.map(({ method }) => method);
  return {
    name: `${path || '/'} returns 405 for every method but ${known.join(', ')}, before authentication`,
    run: async (world, tell) => {
      const [row] = own;
      if (!row || unserved(world, row)) return;
      const target = pathOf(row, row.aim(world));
      const admin = await presented(world, 'the first admin');
      for (const method of allMethods.filter((one) => !known.includes(one))) {
        for (const options of [{}, admin, { token: 'garbage', ...malformedBodies['malformed JSON'] }]) {
          for (const asked of [target, `${bare(target.replace(/\?.*/, ''))}/`]) {
            const reply = await world.client.call(method, asked, options);
            expectRefusal(reply, refusals.methodNotAllowed);
            const allowed = new Set((reply.headers.allow ?? '').split(', '));
            expect(allowed).toEqual(new Set([...known, ...(known.includes('GET') ? ['HEAD'] : [])]));
            tell(reply, row);
          }
        }
      }
    },
  };
});

/** An unknown path is refused before authentication. */
export const unknownPathCases: readonly MatrixCase[] = [
  {
    name: 'an unknown path returns 404, before authentication',
    run: async (world, tell) => {
      const made = rows
        .map((row) => `${bare(pathOf(row, row.aim(world)).replace(/\?.*/, ''))}/nothing/here`)
        // There the console's page says that it knows none of this name.
        .filter((path) => !path.startsWith('/console/'));
      const others = [
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
      const admin = await presented(world, 'the first admin');
      for (const path of [...new Set([...others, ...made])]) {
        for (const method of ['GET', 'POST']) {
          for (const options of [{}, admin, { token: 'garbage', ...malformedBodies['malformed JSON'] }]) {
            const reply = await world.client.call(method, path, options);
            expectRefusal(reply, refusals.notFound);
            tell(reply);
          }
        }
      }
    },
  },
];
