import { jobKinds, type Instant, type JobId, type Ports, type UseCases } from '@portico/domain';

/** Runs all jobs that are due now, including jobs that these jobs add. */
export const runDueJobs = async (
  { outbox }: Pick<Ports, 'outbox'>,
  { workJob }: Pick<UseCases, 'workJob'>,
  now: () => Instant,
): Promise<void> => {
  const listDue = async (): Promise<readonly JobId[]> =>
    (await Promise.all(jobKinds.map((kind) => outbox.listDue(kind, now(), 1_000)))).flat();
  for (let ids = await listDue(); ids.length > 0; ids = await listDue()) {
    for (const id of ids) await workJob(id);
  }
};
