import type { Portico } from '@portico/composition';
import { operatorAuthority, type DeadLetter, type JobId, type RequeueOutcome } from '@portico/domain';
import { counted, type Terminal } from '../terminal.ts';

/** Lists at most this many dead letters, newest first. */
export const listJobs = async ({ useCases }: Portico, terminal: Terminal, limit: number): Promise<void> => {
  const { deadLetters, total, waiting } = await useCases.listDeadLetters(limit);
  const more = total - deadLetters.length;
  terminal.result({ waiting, given_up: total, jobs: deadLetters.map(viewOf) }, [
    ...deadLetters.flatMap(linesOf),
    ...(more > 0 ? [`… and ${more} more (--limit).`] : []),
    `${total} given up, ${waiting} waiting.`,
  ]);
};

/** Requeues dead letters; returns whether all of them could be. */
export const retryJobs = async (
  { useCases }: Portico,
  terminal: Terminal,
  ids: readonly string[],
): Promise<boolean> => {
  const outcomes: { readonly id: string; readonly outcome: RequeueOutcome }[] = [];
  for (const id of ids) outcomes.push({ id, outcome: await useCases.requeueJob(operatorAuthority, id as JobId) });
  terminal.result(
    outcomes.map(({ id, outcome }) => ({ id, outcome: toldOutcomes[outcome].code })),
    outcomes.map(({ id, outcome }) => `${id}  ${toldOutcomes[outcome].text}`),
  );
  return outcomes.every(({ outcome }) => outcome === 'requeued');
};

/** Requeues every dead letter that can be retried. */
export const retryAllJobs = async ({ useCases }: Portico, terminal: Terminal): Promise<void> => {
  const requeued = await useCases.requeueJobs(operatorAuthority);
  // What is left cannot be retried, unless it was given up just now.
  const { total } = await useCases.listDeadLetters(1);
  terminal.result({ requeued, given_up: total }, [
    `${requeued} requeued, ${total} still given up${total > 0 ? ': "jobs list" says why they cannot be retried' : ''}.`,
  ]);
};

/** Discards dead letters; returns whether all of them existed. */
export const discardJobs = async (
  { useCases }: Portico,
  terminal: Terminal,
  ids: readonly string[],
): Promise<boolean> => {
  const outcomes: { readonly id: string; readonly discarded: boolean }[] = [];
  for (const id of ids) outcomes.push({ id, discarded: await useCases.discardJob(operatorAuthority, id as JobId) });
  terminal.result(
    outcomes.map(({ id, discarded }) => ({
      id,
      outcome: discarded ? 'discarded' : toldOutcomes['no dead letter'].code,
    })),
    outcomes.map(({ id, discarded }) => `${id}  ${discarded ? 'discarded' : toldOutcomes['no dead letter'].text}`),
  );
  return outcomes.every(({ discarded }) => discarded);
};

const remedy = 'issue new credentials (POST /api/profiles/{id}/credentials), then discard this job';

const toldOutcomes: Readonly<Record<RequeueOutcome, { readonly code: string; readonly text: string }>> = {
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
