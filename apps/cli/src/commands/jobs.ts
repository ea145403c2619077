import type { Portico } from '@portico/composition';
import type { GivenUpJob, JobId, RequeueOutcome } from '@portico/domain';
import { counted, type Terminal } from '../terminal.ts';

/** Lists so many of the jobs that were given up, newest first. */
export const listJobs = async ({ useCases }: Portico, terminal: Terminal, limit: number): Promise<void> => {
  const { jobs, givenUp, waiting } = await useCases.listGivenUpJobs(limit);
  const more = givenUp - jobs.length;
  terminal.result({ waiting, given_up: givenUp, jobs: jobs.map(viewOf) }, [
    ...jobs.flatMap(linesOf),
    ...(more > 0 ? [`… and ${more} more (--limit).`] : []),
    `${givenUp} given up, ${waiting} waiting.`,
  ]);
};

/** Lets jobs that were given up begin anew; returns whether each of them does. */
export const retryJobs = async (
  { useCases }: Portico,
  terminal: Terminal,
  ids: readonly string[],
): Promise<boolean> => {
  const outcomes: { readonly id: string; readonly outcome: RequeueOutcome }[] = [];
  for (const id of ids) outcomes.push({ id, outcome: await useCases.requeueJob(id as JobId) });
  terminal.result(
    outcomes.map(({ id, outcome }) => ({ id, outcome: outcome.replaceAll(' ', '_') })),
    outcomes.map(({ id, outcome }) => `${id}  ${outcomeTexts[outcome]}`),
  );
  return outcomes.every(({ outcome }) => outcome === 'requeued');
};

/** The same for every job that can be done again. */
export const retryAllJobs = async ({ useCases }: Portico, terminal: Terminal): Promise<void> => {
  const requeued = await useCases.requeueJobs();
  // What is left by now cannot be done again, unless it was given up within this moment.
  const { givenUp } = await useCases.listGivenUpJobs(1);
  terminal.result({ requeued, given_up: givenUp }, [
    `${requeued} requeued, ${givenUp} still given up${givenUp > 0 ? ': "jobs list" says why they cannot be done again' : ''}.`,
  ]);
};

/** Forgets jobs that were given up; returns whether there was each of them. */
export const discardJobs = async (
  { useCases }: Portico,
  terminal: Terminal,
  ids: readonly string[],
): Promise<boolean> => {
  const outcomes: { readonly id: string; readonly discarded: boolean }[] = [];
  for (const id of ids) outcomes.push({ id, discarded: await useCases.discardJob(id as JobId) });
  terminal.result(
    outcomes.map(({ id, discarded }) => ({ id, outcome: discarded ? 'discarded' : 'not_given_up' })),
    outcomes.map(({ id, discarded }) => `${id}  ${discarded ? 'discarded' : outcomeTexts['not given up']}`),
  );
  return outcomes.every(({ discarded }) => discarded);
};

const remedy = 'issue new credentials (POST /api/profiles/{id}/credentials), then discard this job';

const outcomeTexts: Readonly<Record<RequeueOutcome, string>> = {
  requeued: 'requeued',
  'not given up': 'no such job was given up',
  'secret removed': `cannot be done again, since its secret was removed: ${remedy}`,
};

const viewOf = ({ id, kind, profileId, collectionId, attempts, error, since, secretRemoved }: GivenUpJob) => ({
  id,
  kind,
  profile_id: profileId,
  collection_id: collectionId,
  attempts,
  error,
  given_up_at: new Date(since).toISOString(),
  retryable: !secretRemoved,
});

const linesOf = ({ id, kind, profileId, collectionId, attempts, error, since, secretRemoved }: GivenUpJob) => {
  const subject = profileId === null ? `collection ${collectionId ?? '-'}` : `profile ${profileId}`;
  return [
    `${id}  ${new Date(since).toISOString()}  ${kind}  ${subject}  ${counted(attempts, 'attempt')}: ${error}`,
    ...(secretRemoved ? [`  its secret was removed: ${remedy}`] : []),
  ];
};
