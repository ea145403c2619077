import { jobKinds, type Instant, type JobId, type Ports, type UseCases } from '@portico/domain';

/** Runs all jobs that are due now, including jobs that these jobs add. */
export const runDueJobs = async (
  { outbox }: Pick<Ports, 'outbox'>,
  { workJob }: Pick<UseCases, 'workJob'>,
  now: () => Instant,
): Promise<void> => {
  const due = async (): Promise<readonly JobId[]> =>
    (await Promise.all(jobKinds.map((kind) => outbox.due(kind, now(), 1_000)))).flat();
  for (let ids = await due(); ids.length > 0; ids = await due()) {
    for (const id of ids) await workJob(id);
  }
};
