import { expect } from 'vitest';
import type { Reply } from '../reply.ts';
import { malformedBodies } from './bodies.ts';
import type { MatrixCase } from './matrix-case.ts';
import { isServed, pathOf, presented, rows, succeed, twinOf, type Row } from './request.ts';
import { lineOf } from './transcript.ts';
import type { World } from './world.ts';

const told = (reply: Reply, world: World, row: Row) => ({
  ...lineOf(reply, world, row),
  type: reply.headers['content-type'],
});

/** A trailing slash makes no difference. */
export const slashCases: readonly MatrixCase[] = rows.map((row) => ({
  name: `${row.name} is the same as ${row.method} ${twinOf(row.path)}`,
  run: async (world, tell) => {
    if (!isServed(world, row)) return;
    const plain = await succeed(world, row);
    expect(plain.reply.status).toBe(row.status);
    const twin = await succeed(world, row, twinOf);
    expect(told(twin.reply, world, row)).toEqual(told(plain.reply, world, row));
    tell(twin.reply, row);
    if (row.auth === 'free' || row.auth === 'open') return;
    const path = pathOf(row, row.aim(world));
    const [one, other] = [await world.client.call(row.method, path), await world.client.call(row.method, twinOf(path))];
    expect([other.status, other.text]).toEqual([one.status, one.text]);
    expect(other.status).toBe(401);
  },
}));

/** An endpoint that takes no body ignores any body. */
export const ignoredBodyCases: readonly MatrixCase[] = rows
  .filter(({ badBodies }) => badBodies === undefined)
  .map((row) => ({
    name: `${row.name} ignores a body`,
    run: async (world, tell) => {
      if (!isServed(world, row)) return;
      const plain = await succeed(world, row);
      for (const { raw, headers = [] } of Object.values(malformedBodies)) {
        const aim = await (row.freshAim ?? row.aim)(world);
        const { headers: own = [], ...credential } = plain.options;
        const options = { ...credential, ...(raw === undefined ? {} : { raw }), headers: [...own, ...headers] };
        const reply = await world.client.call(row.method, pathOf(row, aim), options);
        expect(told(reply, world, row)).toEqual(told(plain.reply, world, row));
        tell(reply, row);
        if (row.freshAim) break;
      }
    },
  }));

/** An endpoint of the specification ignores query parameters that it does not have. */
export const ignoredParameterCases: readonly MatrixCase[] = rows
  .filter(({ refusesUnknown, path }) => !refusesUnknown && path.startsWith('/api/'))
  .map((row) => ({
    name: `${row.name} ignores an unknown query parameter`,
    run: async (world, tell) => {
      const plain = await succeed(world, row);
      const { reply } = await succeed(world, row, (path) => `${path}${path.includes('?') ? '&' : '?'}none_of_these=1`);
      expect(told(reply, world, row)).toEqual(told(plain.reply, world, row));
      tell(reply, row);
    },
  }));

/** HEAD answers like GET, without the body. */
export const headCases: readonly MatrixCase[] = rows
  .filter(({ method }) => method === 'GET')
  .map((row) => ({
    name: `HEAD${row.name.slice(3)} answers like GET, without a body`,
    run: async (world) => {
      if (!isServed(world, row)) return;
      for (const caller of ['an anonymous caller', 'the first admin'] as const) {
        const credential = await presented(world, caller);
        const path = pathOf(row, row.aim(world));
        const get = await world.client.call('GET', path, credential);
        const head = await world.client.call('HEAD', path, credential);
        expect([head.status, head.raw.length]).toEqual([get.status, 0]);
        for (const name of ['content-type', 'etag', 'cache-control', 'www-authenticate', 'vary']) {
          expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
        }
      }
    },
  }));
