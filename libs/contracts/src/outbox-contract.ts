import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { JobTask, NewJob } from '@portico/domain';
import type { Contract } from './contract.ts';
import { aJob, aMailJob, endOfTime, jobsOnly, nextId, start } from './records.ts';
import type { Stores } from './stores.ts';

/** What `Outbox` promises. */
export const outboxContract = {
  'jobs are due from their time on': async (stores) => {
    const [due] = await waiting(stores, aJob({ dueAt: start }), aJob({ dueAt: start + 1 }));
    deepStrictEqual(await stores.outbox.due(start - 1, 9), []);
    deepStrictEqual(await stores.outbox.due(start, 9), [due.id]);
  },

  'jobs that are due come longest due first, at most as many as asked for': async (stores) => {
    const [third, first, second] = await waiting(
      stores,
      aJob({ dueAt: start + 3 }),
      aJob({ dueAt: start + 1 }),
      aJob({ dueAt: start + 2 }),
    );
    deepStrictEqual(await stores.outbox.due(start + 3, 9), [first.id, second?.id, third.id]);
    deepStrictEqual(await stores.outbox.due(start + 3, 2), [first.id, second?.id]);
  },

  'a job that is leased is not due': async (stores) => {
    const [leased, free] = await waiting(stores, aJob(), aJob());
    await stores.outbox.claim(leased.id, start, start + 10);
    deepStrictEqual(await stores.outbox.due(start + 9, 9), [free.id]);
  },

  'a job whose lease ran out is due again': async (stores) => {
    const [job] = await waiting(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 10);
    deepStrictEqual(await stores.outbox.due(start + 10, 9), [job.id]);
  },

  'a claim answers the job as it was written, of every kind': async (stores) => {
    const profileId = nextId<Extract<JobTask, { profileId: unknown }>['profileId']>();
    const jobs = await waiting(
      stores,
      aJob({ group: 'Gruppe 1' }),
      aMailJob(profileId),
      aJob({ task: { kind: 'mail.rejection', profileId, reason: 'zu groß' } }),
      aJob({ task: { kind: 'mail.rejection', profileId, reason: null } }),
    );
    for (const job of jobs) {
      deepStrictEqual(await stores.outbox.claim(job.id, start, start + 10), { ...job, attempts: 0 });
    }
  },

  'a job that is gone cannot be claimed': async (stores) => {
    const [job] = await waiting(stores, aJob());
    await stores.outbox.done(job.id);
    strictEqual(await stores.outbox.claim(job.id, start, start + 10), null);
    strictEqual(await stores.outbox.claim(nextId(), start, start + 10), null);
  },

  'a job that is not due cannot be claimed': async (stores) => {
    const [job] = await waiting(stores, aJob({ dueAt: start + 1 }));
    strictEqual(await stores.outbox.claim(job.id, start, start + 10), null);
    strictEqual((await stores.outbox.claim(job.id, start + 1, start + 10))?.id, job.id);
  },

  'a job that another has leased cannot be claimed': async (stores) => {
    const [job] = await waiting(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 10);
    strictEqual(await stores.outbox.claim(job.id, start + 9, start + 20), null);
  },

  'a job whose lease ran out can be claimed, and is leased anew': async (stores) => {
    const [job] = await waiting(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 10);
    strictEqual((await stores.outbox.claim(job.id, start + 10, start + 20))?.id, job.id);
    strictEqual(await stores.outbox.claim(job.id, start + 19, start + 30), null);
  },

  'of simultaneous claims of one job one succeeds': async (stores) => {
    const [job] = await waiting(stores, aJob());
    const claim = () => stores.outbox.claim(job.id, start, start + 10);
    const claims = await Promise.all(Array.from({ length: 20 }, claim));
    deepStrictEqual(
      claims.filter((claimed) => claimed !== null),
      [{ ...job, attempts: 0 }],
    );
  },

  'a job that is done is gone, and no other': async (stores) => {
    const [done, stays] = await waiting(stores, aJob(), aJob());
    await stores.outbox.claim(done.id, start, start + 10);
    await stores.outbox.done(done.id);
    deepStrictEqual(await stores.outbox.due(endOfTime, 9), [stays.id]);
  },

  'to end, put off or give up a job that is gone is no error and makes none': async (stores) => {
    const [job] = await waiting(stores, aJob());
    await stores.outbox.done(job.id);
    const outcomes = await Promise.allSettled([
      stores.outbox.done(job.id),
      stores.outbox.retry(job.id, start, 'late'),
      stores.outbox.giveUp(job.id, 'late'),
    ]);
    deepStrictEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled'],
    );
    deepStrictEqual(await stores.outbox.state(endOfTime), { waiting: 0, givenUp: 0, oldestDueAt: null });
  },

  'a job that is put off gives its lease back and is due at the time that was set': async (stores) => {
    const [job] = await waiting(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 100);
    await stores.outbox.retry(job.id, start + 10, 'busy');
    strictEqual(await stores.outbox.claim(job.id, start + 9, start + 20), null);
    deepStrictEqual(await stores.outbox.due(start + 9, 9), []);
    deepStrictEqual(await stores.outbox.due(start + 10, 9), [job.id]);
    strictEqual((await stores.outbox.claim(job.id, start + 10, start + 20))?.dueAt, start + 10);
  },

  'each putting off counts one attempt': async (stores) => {
    const [job, other] = await waiting(stores, aJob(), aJob());
    for (const attempts of [0, 1, 2]) {
      deepStrictEqual(await stores.outbox.claim(job.id, start, start + 10), { ...job, attempts });
      await stores.outbox.retry(job.id, start, 'busy');
    }
    strictEqual((await stores.outbox.claim(other.id, start, start + 10))?.attempts, 0);
  },

  'a job that was given up is never due again and cannot be claimed': async (stores) => {
    const [job] = await waiting(stores, aJob());
    await stores.outbox.claim(job.id, start, start + 10);
    await stores.outbox.giveUp(job.id, 'no use');
    deepStrictEqual(await stores.outbox.due(endOfTime, 9), []);
    strictEqual(await stores.outbox.claim(job.id, endOfTime, endOfTime + 10), null);
    await stores.outbox.retry(job.id, start, 'late');
    deepStrictEqual(await stores.outbox.due(endOfTime, 9), []);
  },

  'a job that was given up is kept': async (stores) => {
    const [job] = await waiting(stores, aMailJob(nextId()), aJob());
    await stores.outbox.giveUp(job.id, 'no use');
    const { waiting: left, givenUp } = await stores.outbox.state(start);
    deepStrictEqual([left, givenUp], [1, 1]);
  },

  'all jobs wait that are not given up, leased and put off ones too': async (stores) => {
    const [leased, putOff] = await waiting(stores, aJob(), aJob(), aJob({ dueAt: endOfTime }));
    await stores.outbox.claim(leased.id, start, start + 10);
    await stores.outbox.retry(putOff.id, start + 10, 'busy');
    strictEqual((await stores.outbox.state(start)).waiting, 3);
  },

  'the state tells since when the longest due job is due': async (stores) => {
    const [, oldest] = await waiting(
      stores,
      aJob({ dueAt: start + 5 }),
      aJob({ dueAt: start + 2 }),
      aJob({ dueAt: start + 9 }),
    );
    strictEqual((await stores.outbox.state(start + 5)).oldestDueAt, start + 2);
    await stores.outbox.giveUp(oldest.id, 'no use');
    strictEqual((await stores.outbox.state(start + 5)).oldestDueAt, start + 5);
  },

  'the state tells of no due job where none is due': async (stores) => {
    deepStrictEqual(await stores.outbox.state(start), { waiting: 0, givenUp: 0, oldestDueAt: null });
    await waiting(stores, aJob({ dueAt: start + 1 }));
    deepStrictEqual(await stores.outbox.state(start), { waiting: 1, givenUp: 0, oldestDueAt: null });
  },
} satisfies Contract<Stores>;

/** Writes the jobs into the outbox, as the effects of a change. */
const waiting = async <Jobs extends readonly [NewJob, ...NewJob[]]>(
  { embeddings }: Stores,
  ...jobs: Jobs
): Promise<Jobs> => {
  await embeddings.enqueue(jobsOnly(...jobs));
  return jobs;
};
