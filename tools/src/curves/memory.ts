import { setTimeout as pause } from 'node:timers/promises';
import { createDice } from '../big-catalog/dice.ts';
import { aThing } from './api-document.ts';
import type { Curve } from './curve.ts';
import { idAt } from '../numbered-collections.ts';
import { createCatalog, type OwnCatalog } from './fill-catalog.ts';
import { type Call, load, untilAnswered } from './load.ts';
import type { OwnService } from './own-service.ts';

export const memory: Curve = {
  name: 'memory',
  title: 'Memory by collections',
  x: { label: 'collections', scale: 'linear' },
  charts: [{ unit: 'MiB', title: 'resident memory of the service, MiB', scale: 'linear' }],
  setting:
    'A service on SQLite with documents of 4 KB: its resident memory when it has started, and after a load of 10,000 ' +
    'reads of collections and 1,000 searches of an administrator, who sees all.',
  reading:
    'At the start the size of the catalog does not matter: nothing of it is loaded. The first search reads the ' +
    'vectors: some 40 MiB for each 10,000 collections beyond the first. What is above that after the load is ' +
    'heap, and the bodies that were read, which are kept up to a bound. Vectors of operations come in addition ' +
    'once somebody searches them (operation search, above). For 100,000 collections plan 1 GiB for each process ' +
    'that answers requests.',
  async *measure({ quick, folder, tell }) {
    const catalog = await createCatalog(folder, []);
    for (const size of quick ? [0, 200] : [0, 1_000, 10_000, 50_000, 100_000]) {
      tell(`${size} collections`);
      await catalog.fill(size);
      const service = await catalog.start();
      try {
        const point = async (series: string) => ({
          x: size,
          series,
          value: (await service.usage()).residentMiB,
          unit: 'MiB',
        });
        yield await point('at the start');
        await work(catalog, service, size, quick ? 0.02 : 1);
        yield await point('after load');
      } finally {
        await service.stop();
      }
    }
  },
};

export const idle: Curve = {
  name: 'idle',
  title: 'Memory by idle time',
  x: { label: 'minutes since the load', scale: 'linear' },
  charts: [
    { unit: 'MiB', title: 'resident memory of the service, MiB', scale: 'linear' },
    { unit: 'ms CPU', title: 'CPU of the service for each second, ms', scale: 'linear' },
  ],
  setting:
    'A service on SQLite with 10,000 collections, loaded as for memory by collections, then left alone, but for the ' +
    'look at its metrics. `--idle-minutes` says for how long: no more than was measured is shown.',
  reading:
    'Nothing grows while nobody asks. What the load needed beside its indexes, a third of the memory, is given ' +
    'back after two minutes; the vectors stay, so that the next search is fast. Work that recurs (heartbeat, ' +
    'counts of use, jobs, ends of grants) takes less than a hundredth of a core. No more than these minutes was ' +
    'measured here; `--idle-minutes 300` watches for hours.',
  async *measure({ quick, idleMinutes, folder, tell }) {
    const catalog = await createCatalog(folder, []);
    const size = quick ? 200 : 10_000;
    await catalog.fill(size);
    const service = await catalog.start();
    try {
      await work(catalog, service, size, quick ? 0.02 : 1);
      const minutes = quick ? Math.min(idleMinutes, 0.05) : idleMinutes;
      const steps = Math.max(2, Math.min(30, Math.round(2 * minutes)));
      let before = await service.usage();
      yield { x: 0, series: 'idle', value: before.residentMiB, unit: 'MiB' };
      for (let step = 1; step <= steps; step++) {
        const x = (step * minutes) / steps;
        tell(`${x} minutes`);
        await pause((minutes * 60_000) / steps);
        const now = await service.usage();
        yield { x, series: 'idle', value: now.residentMiB, unit: 'MiB' };
        yield { x, series: 'idle', value: ((now.cpuMs - before.cpuMs) * steps) / (minutes * 60), unit: 'ms CPU' };
        before = now;
      }
    } finally {
      await service.stop();
    }
  },
};

const [reads, searches] = [10_000, 1_000] as const;

const work = async (catalog: OwnCatalog, service: OwnService, size: number, share: number): Promise<void> => {
  const dice = createDice(3);
  const headers = { authorization: `Bearer ${service.admin.token}`, 'content-type': 'application/json' };
  const idOf = () => (size === 0 ? catalog.first : idAt(dice.below(size)));
  await load(service.address, { calls: reads * share, connections: 8 }, () => ({
    path: `/api/collections/${idOf()}`,
    headers,
  }));
  const search = (): Call => ({
    method: 'POST',
    path: '/api/vector/search',
    headers,
    body: JSON.stringify({ query: `${aThing(dice)} for ${aThing(dice)} ${dice.below(1_000)}` }),
  });
  await untilAnswered(service.address, search());
  await load(service.address, { calls: searches * share, connections: 4 }, search);
};
