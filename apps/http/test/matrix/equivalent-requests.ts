import { expect } from 'vitest';
import type { Reply } from '../reply.ts';
import { malformedBodies } from './bodies.ts';
import type { MatrixCase } from './matrix-case.ts';
import { isServed, pathOf, credentialOf, rows, sendValidRequest, toggleTrailingSlash, type Row } from './request.ts';
import { lineOf } from './transcript.ts';
import type { World } from './world.ts';

const normalize = (reply: Reply, world: World, row: Row) => ({
  ...lineOf(reply, world, row),
  type: reply.headers['content-type'],
});

/** A trailing slash makes no difference. */
export const slashCases: readonly MatrixCase[] = rows.map((row) => ({
  name: `${row.name} is the same as ${row.method} ${toggleTrailingSlash(row.path)}`,
  run: async (world, record) => {
    if (!isServed(world, row)) return;
    const originalReply = await sendValidRequest(world, row);
    expect(originalReply.reply.status).toBe(row.status);
    const variantReply = await sendValidRequest(world, row, toggleTrailingSlash);
    expect(normalize(variantReply.reply, world, row)).toEqual(normalize(originalReply.reply, world, row));
    record(variantReply.reply, row);
    if (row.auth === 'free' || row.auth === 'open') return;
    const path = pathOf(row, row.target(world));
    const [plainReply, toggledReply] = [
      await world.client.call(row.method, path),
      await world.client.call(row.method, toggleTrailingSlash(path)),
    ];
    expect([toggledReply.status, toggledReply.text]).toEqual([plainReply.status, plainReply.text]);
    expect(toggledReply.status).toBe(401);
  },
}));

/** An endpoint that does not accept a body ignores any body. */
export const ignoredBodyCases: readonly MatrixCase[] = rows
  .filter(({ badBodies }) => badBodies === undefined)
  .map((row) => ({
    name: `${row.name} ignores a body`,
    run: async (world, record) => {
      if (!isServed(world, row)) return;
      const originalReply = await sendValidRequest(world, row);
      for (const { raw, headers = [] } of Object.values(malformedBodies)) {
        const target = await (row.freshTarget ?? row.target)(world);
        const { headers: ownHeaders = [], ...credential } = originalReply.options;
        const options = { ...credential, ...(raw === undefined ? {} : { raw }), headers: [...ownHeaders, ...headers] };
        const reply = await world.client.call(row.method, pathOf(row, target), options);
        expect(normalize(reply, world, row)).toEqual(normalize(originalReply.reply, world, row));
        record(reply, row);
        if (row.freshTarget) break;
      }
    },
  }));

/** An endpoint of the specification ignores unknown query parameters. */
export const ignoredParameterCases: readonly MatrixCase[] = rows
  .filter(({ rejectsUnknownParameters, path }) => !rejectsUnknownParameters && path.startsWith('/api/'))
  .map((row) => ({
    name: `${row.name} ignores an unknown query parameter`,
    run: async (world, record) => {
      const originalReply = await sendValidRequest(world, row);
      const { reply } = await sendValidRequest(
        world,
        row,
        (path) => `${path}${path.includes('?') ? '&' : '?'}none_of_these=1`,
      );
      expect(normalize(reply, world, row)).toEqual(normalize(originalReply.reply, world, row));
      record(reply, row);
    },
  }));

/** HEAD responds like GET, without the body. */
export const headCases: readonly MatrixCase[] = rows
  .filter(({ method }) => method === 'GET')
  .map((row) => ({
    name: `HEAD${row.name.slice(3)} responds like GET, without a body`,
    run: async (world) => {
      if (!isServed(world, row)) return;
      for (const caller of ['an anonymous caller', 'the first admin'] as const) {
        const credential = await credentialOf(world, caller);
        const path = pathOf(row, row.target(world));
        const get = await world.client.call('GET', path, credential);
        const head = await world.client.call('HEAD', path, credential);
        expect([head.status, head.raw.length]).toEqual([get.status, 0]);
        for (const name of ['content-type', 'etag', 'cache-control', 'www-authenticate', 'vary']) {
          expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
        }
      }
    },
  }));
