import type { CollectionId, JobId, JobTask, NewJob, ProfileId } from '@portico/domain';
import { expect, test } from 'vitest';
import { createHarness } from './harness.ts';

test('the next relay offers an email whose offer was lost, even if many embeddings have waited longer', async () => {
  const offered: JobId[] = [];
  const { queue } = createHarness().ports;
  const { ports, useCases, clock } = createHarness(
    {},
    { queue: { ...queue, offer: (_kind, ids) => offered.push(...ids) } },
  );
  const jobOf = (task: JobTask): NewJob => ({
    id: ports.random.uuid() as JobId,
    task,
    group: null,
    dueAt: clock.now(),
  });
  const embed = (): NewJob => jobOf({ kind: 'embed', collectionId: ports.random.uuid() as CollectionId });
  await ports.embeddingJobs.enqueue({ jobs: Array.from({ length: 2_000 }, embed), deadline: null });
  clock.advance(60_000);
  const mail = jobOf({ kind: 'mail.rejection', profileId: ports.random.uuid() as ProfileId, reason: null });
  await ports.embeddingJobs.enqueue({ jobs: [mail], deadline: null });
  offered.length = 0;
  expect(await useCases.relayJobs()).toBeLessThan(2_000);
  expect(offered[0]).toBe(mail.id);
});
