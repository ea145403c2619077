import { randomUUID } from 'node:crypto';
import { livingMs, type LivingProcess } from '@portico/dependencies';
import { startQdrant, startQdrantStandIn } from '@portico/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import { createQdrantRoster } from './qdrant-roster.ts';

const standIn = await startQdrantStandIn();
const real = await startQdrant();
afterAll(() => standIn.close());

describe.each([
  ['the stand-in of Qdrant', { url: standIn.url, apiKey: null }],
  ['a real Qdrant', real],
] as const)('who uses %s', (_name, server) => {
  test.skipIf(!server)(
    'are the processes of all installations that said so within a minute and have not left',
    async () => {
      const roster = createQdrantRoster(server ?? { url: '', apiKey: null });
      const now = Date.now();
      const [one, other] = [randomUUID(), randomUUID()];
      const living = async () =>
        (await roster.living(now))
          .filter(({ installation }) => installation === one || installation === other)
          .sort((a, b) => a.at - b.at);
      expect(await living()).toEqual([]);
      const processOf = (installation: string, at: number): LivingProcess => ({
        installation,
        process: randomUUID(),
        at,
      });
      const [gone, last] = [processOf(one, now - livingMs - 1), processOf(one, now - livingMs)];
      const [here, left] = [processOf(other, now), processOf(other, now)];
      for (const each of [gone, last, left]) await roster.announce(each);
      await roster.leave(left);
      expect(await living()).toEqual([last]);
      await roster.announce({ ...here, at: now - 1 });
      await roster.announce(here);
      expect(await living()).toEqual([last, here]);
    },
  );
});
