import type { Portico } from '@portico/composition';
import { operatorAuthority, type DeadLetter, type JobId, type RequeueOutcome } from '@portico/domain';
import { runAndFinish } from '../run-and-finish.ts';
import { formatCount, type Terminal } from '../terminal.ts';

/** Lists up to `limit` dead letters, newest first. */
export const listJobs = async ({ useCases }: Portico, terminal: Terminal, limit: number): Promise<void> => {
  const { deadLetters, total, waiting } = await useCases.listDeadLetters(limit);
  const unlistedCount = total - deadLetters.length;
  terminal.printResult({ waiting, given_up: total, jobs: deadLetters.map(viewOf) }, [
    ...deadLetters.flatMap(linesOf),
    ...(unlistedCount > 0 ? [`… and ${unlistedCount} more (--limit).`] : []),
    `${total} given up, ${waiting} waiting.`,
  ]);
};

/** Requeues dead letters. Returns whether all of them could be requeued. */
export const retryJobs = async (
  { useCases }: Portico,
  terminal: Terminal,
  ids: readonly string[],
): Promise<boolean> => {
  const outcomes = await reportEach(
    terminal,
    ids,
    async (id) => requeueOutcomes[await useCases.requeueJob(operatorAuthority, id)],
  );
  return outcomes.every((outcome) => outcome === 'requeued');
};

/** Requeues every dead letter that can be retried. */
export const retryAllJobs = async ({ useCases }: Portico, terminal: Terminal): Promise<void> => {
  const requeuedCount = await useCases.requeueJobs(operatorAuthority);
  // The remaining jobs cannot be retried, unless they have only just become dead letters.
  const { total } = await useCases.listDeadLetters(1);
  terminal.printResult({ requeued: requeuedCount, given_up: total }, [
    `${requeuedCount} requeued, ${total} still given up${total > 0 ? ': "portico jobs list" shows why they cannot be retried' : ''}.`,
  ]);
};

/** Discards dead letters. Returns whether all of them existed. */
export const discardJobs = async (
  { useCases }: Portico,
  terminal: Terminal,
  ids: readonly string[],
): Promise<boolean> => {
  const discardOutcome: JobOutcome = { code: 'discarded', text: 'discarded' };
  const outcomes = await reportEach(terminal, ids, async (id) =>
    (await useCases.discardJob(operatorAuthority, id)) ? discardOutcome : requeueOutcomes['no dead letter'],
  );
  return outcomes.every((outcome) => outcome === discardOutcome.code);
};

/** Processes the jobs one by one and reports each outcome immediately. Returns the codes. */
const reportEach = async (
  terminal: Terminal,
  ids: readonly string[],
  processJob: (id: JobId) => Promise<JobOutcome>,
): Promise<readonly string[]> => {
  const reports: { readonly id: string; readonly outcome: string }[] = [];
  const processAll = async (): Promise<void> => {
    for (const id of ids) {
      const { code, text } = await processJob(id as JobId);
      terminal.printLines([`${id}  ${text}`]);
      reports.push({ id, outcome: code });
    }
  };
  await runAndFinish(processAll, () => terminal.printResult(reports, []));
  return reports.map(({ outcome }) => outcome);
};

interface JobOutcome {
  readonly code: string;
  readonly text: string;
}

const remedy = 'issue new credentials (portico keys rotate EMAIL), then discard this job';

const requeueOutcomes: Readonly<Record<RequeueOutcome, JobOutcome>> = {
  requeued: { code: 'requeued', text: 'requeued' },
  'no dead letter': { code: 'not_given_up', text: 'no job with this id was given up' },
  'secret removed': {
    code: 'secret_removed',
    text: `cannot be retried, because its secret was removed: ${remedy}`,
  },
};

const viewOf = ({ id, kind, profileId, collectionId, attempts, error, since, secretRemoved }: DeadLetter) => ({
  id,
  kind,
  profile_id: profileId,
  collection_id: collectionId,
  attempts,
  error,
  given_up_at: new Date(since).toISOString(),
  retryable: !secretRemoved,
});

const linesOf = ({ id, kind, profileId, collectionId, attempts, error, since, secretRemoved }: DeadLetter) => {
  const subject = profileId === null ? `collection ${collectionId ?? '-'}` : `profile ${profileId}`;
  return [
    `${id}  ${new Date(since).toISOString()}  ${kind}  ${subject}  ${formatCount(attempts, 'attempt')}: ${error}`,
    ...(secretRemoved ? [`  its secret was removed: ${remedy}`] : []),
  ];
};
