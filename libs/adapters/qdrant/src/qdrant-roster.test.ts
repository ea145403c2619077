import { randomUUID } from 'node:crypto';
import { livenessMs, type LiveProcess } from '@portico/dependencies';
import { connectToQdrant, startFakeQdrant } from '@portico/test-servers';
import { afterAll, describe, expect, test } from 'vitest';
import { createQdrantRoster } from './qdrant-roster.ts';

const fake = await startFakeQdrant();
const realServer = await connectToQdrant();
afterAll(() => fake.close());

describe.each([
  ['the fake Qdrant', { url: fake.url, apiKey: null }],
  ['a real Qdrant', realServer],
] as const)('the users of %s', (_name, server) => {
  test.skipIf(!server)(
    'are the processes of all installations that announced themselves within a minute and have not left',
    async () => {
      const roster = createQdrantRoster(server ?? { url: '', apiKey: null });
      const now = Date.now();
      const [firstInstallation, secondInstallation] = [randomUUID(), randomUUID()];
      const listOwnProcesses = async () =>
        (await roster.listLiveProcesses(now))
          .filter(({ installation }) => installation === firstInstallation || installation === secondInstallation)
          .sort((a, b) => a.at - b.at);
      expect(await listOwnProcesses()).toEqual([]);
      const processOf = (installation: string, at: number): LiveProcess => ({
        installation,
        process: randomUUID(),
        at,
      });
      const [deadProcess, lastProcess] = [
        processOf(firstInstallation, now - livenessMs - 1),
        processOf(firstInstallation, now - livenessMs),
      ];
      const [currentProcess, leavingProcess] = [processOf(secondInstallation, now), processOf(secondInstallation, now)];
      for (const liveProcess of [deadProcess, lastProcess, leavingProcess]) await roster.announce(liveProcess);
      await roster.leave(leavingProcess);
      expect(await listOwnProcesses()).toEqual([lastProcess]);
      await roster.announce({ ...currentProcess, at: now - 1 });
      await roster.announce(currentProcess);
      expect(await listOwnProcesses()).toEqual([lastProcess, currentProcess]);
    },
  );
});
