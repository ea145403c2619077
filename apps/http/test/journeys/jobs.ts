import { beforeAll, expect, test } from 'vitest';
import { DeliveryError, type Mailer } from '@portico/domain';
import { provideSubject } from '../provide-subject.ts';
import { textOf, unknownId, type Start } from '../subject.ts';

/** What an administrator sees of background jobs, and does about those that were given up. */
export const jobsSuite = (start: Start): void => {
  const {
    subject,
    cast,
    call,
    pages,
    asAdmin: ask,
  } = provideSubject(start, {
    ports: ({ mailer }) => ({
      mailer: {
        enabled: true,
        send: (mail) => (failure ? Promise.reject(failure) : mailer.send(mail)),
      } satisfies Mailer,
    }),
  });
  let failure: Error | null = null;
  const asAdmin = (method: string, path: string, json?: unknown) => ask(method, `/api/jobs${path}`, json);
  const listed = async (query = '') => (await asAdmin('GET', `/dead${query}`)).list;
  const actions = async () => {
    const { body } = await call('GET', '/api/audit/?source=system&pageSize=100', { token: cast.admin });
    return (body.data as { message: { action: string; job_id?: string; count?: number } }[])
      .map(({ message }) => message)
      .filter(({ action }) => action.startsWith('job.'))
      .map(({ action, job_id, count }) => ({ action, of: job_id ?? count }));
  };
  /** Registers somebody whose rejection cannot be mailed. */
  const giveUp = async (decision: 'approve' | 'reject' = 'reject') => {
    const person = await cast.register();
    await subject.runJobs();
    await call('POST', `/api/profiles/${person.id}/${decision}`, { token: cast.admin });
    failure = new DeliveryError('550 no such mailbox', true);
    await subject.runJobs();
    failure = null;
    const job = (await listed()).find((one) => one.profile_id === person.id);
    if (!job) throw new Error('nothing was given up');
    return { ...person, job: textOf(job.id) };
  };

  beforeAll(async () => {
    await subject.runJobs();
  });

  test('jobs are counted by kind and state', async () => {
    await cast.newCollection();
    const { body } = await asAdmin('GET', '');
    expect(body).toMatchObject({ waiting: 2, running: 0, retrying: 0, dead: 0, next_retry_at: null });
    expect(body).toMatchObject({ seems_stopped: false, runs_here: null });
    expect((body.kinds as { kind: string }[]).map(({ kind }) => kind)).toEqual(['embed', 'operations']);
    expect(body.oldest_due_at).toMatch(/Z$/);
    await subject.runJobs();
    expect((await asAdmin('GET', '')).body).toMatchObject({ waiting: 0, oldest_due_at: null, kinds: [] });
  });

  test('a mail that will be tried again says when', async () => {
    const person = await cast.register();
    await subject.runJobs();
    await call('POST', `/api/profiles/${person.id}/reject`, { token: cast.admin });
    failure = new Error('the server is busy');
    await subject.runJobs();
    failure = null;
    const { body } = await asAdmin('GET', '');
    expect(body).toMatchObject({ waiting: 0, retrying: 1, dead: 0 });
    expect(Date.parse(textOf(body.next_retry_at))).toBeGreaterThan(0);
    await call('DELETE', `/api/profiles/${person.id}`, { token: cast.admin });
  });

  test('a dead letter says whom it was for and why it failed, and is sent once it is retried', async () => {
    const { job, email } = await giveUp();
    expect((await listed()).find(({ id }) => id === job)).toMatchObject({
      kind: 'mail.rejection',
      profile_email: email,
      attempts: 1,
      error: '550 no such mailbox',
      retryable: true,
    });
    expect((await asAdmin('POST', `/dead/${job}/retry`)).body).toEqual({ message: 'Job requeued' });
    expect((await asAdmin('POST', `/dead/${job}/retry`)).body).toEqual({ detail: 'Job not found' });
    await subject.runJobs();
    expect(await listed()).toEqual([]);
    expect(await actions()).toEqual([{ action: 'job.requeue', of: job }]);
  });

  test('what cannot be retried says so, and can be discarded', async () => {
    const { job } = await giveUp('approve');
    expect(await listed()).toMatchObject([{ id: job, kind: 'mail.credentials', retryable: false }]);
    const refused = await asAdmin('POST', `/dead/${job}/retry`);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringMatching(/^The secret of this job/)]);
    expect((await asAdmin('POST', '/dead/retry', {})).body).toEqual({ requeued: 0, left: 1, outcomes: [] });
    expect((await asAdmin('DELETE', `/dead/${job}`)).body).toEqual({ message: 'Job discarded' });
    expect((await asAdmin('DELETE', `/dead/${job}`)).status).toBe(404);
    expect(await actions()).toContainEqual({ action: 'job.discard', of: job });
  });

  test('several are retried in one change, each with an outcome, or all at once', async () => {
    const [first, second, third, sealed] = [await giveUp(), await giveUp(), await giveUp(), await giveUp('approve')];
    const ids = [second.job, unknownId, sealed.job, first.job];
    expect((await asAdmin('POST', '/dead/retry', { ids })).body).toEqual({
      requeued: 2,
      left: 2,
      outcomes: [
        { id: second.job, outcome: 'requeued' },
        { id: unknownId, outcome: 'not_given_up' },
        { id: sealed.job, outcome: 'secret_removed' },
        { id: first.job, outcome: 'requeued' },
      ],
    });
    expect((await actions()).slice(0, 2).map(({ of }) => of)).toEqual(expect.arrayContaining([first.job, second.job]));
    expect((await asAdmin('POST', '/dead/retry', {})).body).toEqual({ requeued: 1, left: 1, outcomes: [] });
    expect((await listed()).map(({ id }) => id)).toEqual([sealed.job]);
    expect(await actions()).toContainEqual({ action: 'job.requeue', of: 1 });
    await subject.runJobs();
    await asAdmin('DELETE', `/dead/${sealed.job}`);
    expect(third.job).not.toBe(sealed.job);
  });

  test('dead letters are listed page by page', async () => {
    const jobs = [(await giveUp()).job, (await giveUp()).job, (await giveUp()).job];
    const paged = (await pages('/api/jobs/dead?limit=2')).flatMap(({ list }) => list.map(({ id }) => id));
    expect(new Set(paged)).toEqual(new Set(jobs));
    expect(paged).toHaveLength(3);
  });

  test('nobody but an administrator sees jobs', async () => {
    const { token } = await cast.newClient();
    for (const path of ['', '/dead']) {
      expect((await call('GET', `/api/jobs${path}`, { token })).status).toBe(403);
    }
  });
};
