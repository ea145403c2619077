import type { Portico } from '@portico/composition';
import { operatorAuthority, type DeadLetter, type JobId, type RequeueOutcome } from '@portico/domain';
import { runAndFinish } from '../run-and-finish.ts';
import { counted, type Terminal } from '../terminal.ts';

/** Lists up to `limit` dead letters, newest first. */
export const listJobs = async ({ useCases }: Portico, terminal: Terminal, limit: number): Promise<void> => {
  const { deadLetters, total, waiting } = await useCases.listDeadLetters(limit);
  const more = total - deadLetters.length;
  terminal.result({ waiting, given_up: total, jobs: deadLetters.map(viewOf) }, [
    ...deadLetters.flatMap(linesOf),
    ...(more > 0 ? [`… and ${more} more (--limit).`] : []),
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
  const requeued = await useCases.requeueJobs(operatorAuthority);
  // The remaining jobs cannot be retried, unless they have only just become dead letters.
  const { total } = await useCases.listDeadLetters(1);
  terminal.result({ requeued, given_up: total }, [
    `${requeued} requeued, ${total} still given up${total > 0 ? ': "jobs list" says why they cannot be retried' : ''}.`,
  ]);
};

/** Discards dead letters. Returns whether all of them existed. */
export const discardJobs = async (
  { useCases }: Portico,
  terminal: Terminal,
  ids: readonly string[],
): Promise<boolean> => {
  const discarded: JobOutcome = { code: 'discarded', text: 'discarded' };
  const outcomes = await reportEach(terminal, ids, async (id) =>
    (await useCases.discardJob(operatorAuthority, id)) ? discarded : requeueOutcomes['no dead letter'],
  );
  return outcomes.every((outcome) => outcome === discarded.code);
};

/** Processes the jobs one by one and reports each outcome immediately. Returns the codes. */
const reportEach = async (
  terminal: Terminal,
  ids: readonly string[],
  act: (id: JobId) => Promise<JobOutcome>,
): Promise<readonly string[]> => {
  const reports: { readonly id: string; readonly outcome: string }[] = [];
  const processAll = async (): Promise<void> => {
    for (const id of ids) {
      const { code, text } = await act(id as JobId);
      terminal.lines([`${id}  ${text}`]);
      reports.push({ id, outcome: code });
    }
  };
  await runAndFinish(processAll, () => terminal.result(reports, []));
  return reports.map(({ outcome }) => outcome);
};

interface JobOutcome {
  readonly code: string;
  readonly text: string;
}

const remedy = 'issue new credentials (portico keys rotate EMAIL), then discard this job';

const requeueOutcomes: Readonly<Record<RequeueOutcome, JobOutcome>> = {
  requeued: { code: 'requeued', text: 'requeued' },
  'no dead letter': { code: 'not_given_up', text: 'no such job was given up' },
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
    `${id}  ${new Date(since).toISOString()}  ${kind}  ${subject}  ${counted(attempts, 'attempt')}: ${error}`,
    ...(secretRemoved ? [`  its secret was removed: ${remedy}`] : []),
  ];
};
