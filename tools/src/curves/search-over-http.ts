import type { Curve, Row } from './curve.ts';
import { createDice } from '../big-catalog/dice.ts';
import { aThing } from './api-document.ts';
import { createCatalog } from './fill-catalog.ts';
import { load, untilAnswered } from './load.ts';

export const searchOverHttp: Curve = {
  name: 'search-over-http',
  title: 'Search over HTTP by collections',
  x: { label: 'collections', scale: 'log' },
  charts: [
    { unit: 'ms p50', title: 'median, ms', scale: 'log' },
    { unit: 'ms p99', title: '99th percentile, ms', scale: 'log' },
    { unit: 'ms CPU', title: 'CPU of the service for each search, ms', scale: 'log' },
    { unit: 'ms first', title: 'the first search after the start, until it is answered, ms', scale: 'log' },
  ],
  setting:
    'A service on SQLite, two callers at once, each query a new one: admission by key, embedding, the vector index, the ' +
    'names of the ten best. An administrator sees all collections, the clients a tenth and a hundredth by grants.',
  reading:
    'Up to 10,000 collections the request around the search costs more than the search: admission, embedding a ' +
    'new query, the names of what was found. The first search after a start reads all vectors, and its cost ' +
    'grows faster than their number: at 100,000 it takes seconds, on a slow machine nearly as long as a request ' +
    'may take, in turns between which others are answered. With more than 50,000 collections send a search to a ' +
    'new process before its callers come, and start replicas one after another.',
  async *measure({ quick, folder, tell }) {
    const catalog = await createCatalog(folder, ['tenth', 'hundredth']);
    const [tenth, hundredth] = catalog.clients;
    if (!tenth || !hundredth) throw new Error('The catalog has no clients');
    const dice = createDice(2);
    for (const size of quick ? [200] : [1_000, 10_000, 100_000]) {
      await catalog.fill(size);
      catalog.grant(tenth, 10, size / 10);
      catalog.grant(hundredth, 100, size / 100);
      tell(`${size} collections`);
      const service = await catalog.start();
      try {
        const search = (headers: Readonly<Record<string, string>>) => () => ({
          method: 'POST' as const,
          path: '/api/vector/search',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ query: `${aThing(dice)} for ${aThing(dice)} ${dice.below(1_000_000)}` }),
        });
        const callers = [
          ['all', { authorization: `Bearer ${service.admin.token}` }],
          ['10 %', tenth.key],
          ['1 %', hundredth.key],
        ] as const;
        const started = await service.usage();
        const firstMs = await untilAnswered(service.address, search(callers[0][1])());
        const firstCpuMs = (await service.usage()).cpuMs - started.cpuMs;
        yield { x: size, series: 'time', value: firstMs, unit: 'ms first' };
        yield { x: size, series: 'CPU', value: firstCpuMs, unit: 'ms first' };
        for (const [series, headers] of callers) {
          const most = (calls: number, longestMs: number) => ({ calls: quick ? 50 : calls, connections: 2, longestMs });
          await load(service.address, most(1_000, 3_000), search(headers));
          const before = await service.usage();
          const { p50, p99, calls } = await load(service.address, most(2_000, 6_000), search(headers));
          const cpu = ((await service.usage()).cpuMs - before.cpuMs) / calls;
          yield* [
            { x: size, series, value: p50, unit: 'ms p50' },
            { x: size, series, value: p99, unit: 'ms p99' },
            { x: size, series, value: cpu, unit: 'ms CPU' },
          ] satisfies Row[];
        }
      } finally {
        await service.stop();
      }
    }
  },
};
