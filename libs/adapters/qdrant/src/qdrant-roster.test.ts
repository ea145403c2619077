import { randomUUID } from 'node:crypto';
import { livenessMs, type LiveProcess } from '@portico/dependencies';
import { startQdrant, startFakeQdrant } from '@portico/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import { createQdrantRoster } from './qdrant-roster.ts';

const fake = await startFakeQdrant();
const real = await startQdrant();
afterAll(() => fake.close());

describe.each([
  ['the fake Qdrant', { url: fake.url, apiKey: null }],
  ['a real Qdrant', real],
] as const)('the users of %s', (_name, server) => {
  test.skipIf(!server)(
    'are the processes of all installations that announced themselves within a minute and have not left',
    async () => {
      const roster = createQdrantRoster(server ?? { url: '', apiKey: null });
      const now = Date.now();
      const [one, other] = [randomUUID(), randomUUID()];
      const liveProcesses = async () =>
        (await roster.liveProcesses(now))
          .filter(({ installation }) => installation === one || installation === other)
          .sort((a, b) => a.at - b.at);
      expect(await liveProcesses()).toEqual([]);
      const processOf = (installation: string, at: number): LiveProcess => ({
        installation,
        process: randomUUID(),
        at,
      });
      const [dead, last] = [processOf(one, now - livenessMs - 1), processOf(one, now - livenessMs)];
      const [current, left] = [processOf(other, now), processOf(other, now)];
      for (const each of [dead, last, left]) await roster.announce(each);
      await roster.leave(left);
      expect(await liveProcesses()).toEqual([last]);
      await roster.announce({ ...current, at: now - 1 });
      await roster.announce(current);
      expect(await liveProcesses()).toEqual([last, current]);
    },
  );
});
