import type { Curve, Row } from './curve.ts';
import { idAt } from '../numbered-collections.ts';
import { createCatalog } from './fill-catalog.ts';
import { load } from './load.ts';
import { median } from './quantiles.ts';

const gzip = { 'accept-encoding': 'gzip' };

export const lists: Curve = {
  name: 'lists',
  title: 'Lists by grants',
  x: { label: 'grants of the caller', scale: 'log' },
  charts: [
    { unit: 'ms p50', title: 'median, ms', scale: 'log' },
    { unit: 'ms p99', title: '99th percentile, ms', scale: 'log' },
    { unit: 'ms CPU', title: 'CPU of the service for each list, ms', scale: 'log' },
    { unit: 'KB', title: 'bytes of an answer with gzip, KB', scale: 'log' },
  ],
  setting:
    'GET /api/collections/ of a client, on SQLite, with gzip, two callers at once: the whole list, which is kept until ' +
    'something in it changes, the whole list right after a grant, and the first page of 50.',
  reading:
    'The whole list is kept, packed, until something in it changes: it costs nearly the same with one grant and ' +
    'with 10,000. Right after a change it is made anew, with work for each grant, which is felt from 1,000 on. ' +
    'A page of 50 is not kept: it costs more than the kept list at every size, and as all grants are looked ' +
    'through for each page, with 10,000 some fifty times as much. Programs that read the list again and again ' +
    'should read it whole, with `If-None-Match`; pages are for people. Grants to groups instead of thousands of ' +
    'single ones do not change what a list costs, but what a change does.',
  async *measure({ quick, folder, tell }) {
    const sizes = quick ? [1, 100] : [1, 10, 100, 1_000, 10_000];
    const catalog = await createCatalog(
      folder,
      sizes.map((size) => `grants-${size}`),
    );
    // One more, which is granted again and again.
    const last = Math.max(...sizes);
    await catalog.fill(last + 1);
    catalog.clients.forEach((client, at) => catalog.grant(client, 1, sizes[at] ?? 0));
    const service = await catalog.start();
    try {
      for (const [at, size] of sizes.entries()) {
        const client = catalog.clients[at];
        if (!client) throw new Error('There is a client for each size');
        tell(`${size} grants`);
        const headers = { authorization: `Bearer ${client.token}`, ...gzip };
        for (const [series, path] of [
          ['whole list', '/api/collections/'],
          ['page of 50', '/api/collections/?limit=50'],
        ] as const) {
          const call = () => ({ path, headers });
          const most = (calls: number, longestMs: number) => ({ calls: quick ? 30 : calls, connections: 2, longestMs });
          const { bytes } = await load(service.address, most(2_000, 2_000), call);
          const before = await service.usage();
          const { p50, p99, calls } = await load(service.address, most(4_000, 4_000), call);
          const cpu = ((await service.usage()).cpuMs - before.cpuMs) / calls;
          yield* [
            { x: size, series, value: p50, unit: 'ms p50' },
            { x: size, series, value: p99, unit: 'ms p99' },
            { x: size, series, value: cpu, unit: 'ms CPU' },
            { x: size, series, value: bytes / 1_000, unit: 'KB' },
          ] satisfies Row[];
        }
        const changed: number[] = [];
        const path = `/api/access/clients/${client.id}/collections/${idAt(last)}`;
        for (let change = 0; change < (quick ? 3 : 21); change++) {
          await service.api.ask(service.admin, change % 2 === 0 ? 'POST' : 'DELETE', path);
          changed.push(
            (await load(service.address, { calls: 1, connections: 1 }, () => ({ path: '/api/collections/', headers })))
              .longest,
          );
        }
        yield { x: size, series: 'after a grant', value: median(changed), unit: 'ms p50' };
      }
    } finally {
      await service.stop();
    }
  },
};
