import { beforeAll, expect, test } from 'vitest';
import { DeliveryError, type Mailer } from '@portico/domain';
import { provideSubject } from '../provide-subject.ts';
import { textOf, unknownId, type Start } from '../subject.ts';

/** Tests reading background jobs, and retrying or discarding dead letters, as an administrator. */
export const jobsSuite = (start: Start): void => {
  const {
    subject,
    fixtures,
    call,
    pages,
    asAdmin: callAsAdmin,
  } = provideSubject(start, {
    ports: ({ mailer }) => ({
      mailer: {
        enabled: true,
        send: (mail) => (failure ? Promise.reject(failure) : mailer.send(mail)),
      } satisfies Mailer,
    }),
  });
  let failure: Error | null = null;
  const asAdmin = (method: string, path: string, json?: unknown) => callAsAdmin(method, `/api/jobs${path}`, json);
  const listDeadLetters = async (query = '') => (await asAdmin('GET', `/dead${query}`)).list;
  const listActions = async () => {
    const { body } = await call('GET', '/api/audit/?source=system&pageSize=100', { token: fixtures.admin });
    return (body.data as { message: { action: string; job_id?: string; count?: number } }[])
      .map(({ message }) => message)
      .filter(({ action }) => action.startsWith('job.'))
      .map(({ action, job_id, count }) => ({ action, target: job_id ?? count }));
  };
  /** Registers a profile and creates a dead letter: the email about the decision. */
  const createDeadLetter = async (decision: 'approve' | 'reject' = 'reject') => {
    const person = await fixtures.register();
    await subject.runJobs();
    await call('POST', `/api/profiles/${person.id}/${decision}`, { token: fixtures.admin });
    failure = new DeliveryError('550 no such mailbox', true);
    await subject.runJobs();
    failure = null;
    const job = (await listDeadLetters()).find((deadLetter) => deadLetter.profile_id === person.id);
    if (!job) throw new Error('nothing was given up');
    return { ...person, job: textOf(job.id) };
  };

  beforeAll(async () => {
    await subject.runJobs();
  });

  test('jobs are counted by kind and state', async () => {
    await fixtures.newCollection();
    const { body } = await asAdmin('GET', '');
    expect(body).toMatchObject({ waiting: 2, running: 0, retrying: 0, dead: 0, next_retry_at: null });
    expect(body).toMatchObject({ seems_stopped: false, runs_here: null });
    expect((body.kinds as { kind: string }[]).map(({ kind }) => kind)).toEqual(['embed', 'operations']);
    expect(body.oldest_due_at).toMatch(/Z$/);
    await subject.runJobs();
    expect((await asAdmin('GET', '')).body).toMatchObject({ waiting: 0, oldest_due_at: null, kinds: [] });
  });

  test('an email that will be retried has the time of the next attempt', async () => {
    const person = await fixtures.register();
    await subject.runJobs();
    await call('POST', `/api/profiles/${person.id}/reject`, { token: fixtures.admin });
    failure = new Error('the server is busy');
    await subject.runJobs();
    failure = null;
    const { body } = await asAdmin('GET', '');
    expect(body).toMatchObject({ waiting: 0, retrying: 1, dead: 0 });
    expect(Date.parse(textOf(body.next_retry_at))).toBeGreaterThan(0);
    await call('DELETE', `/api/profiles/${person.id}`, { token: fixtures.admin });
  });

  test('a dead letter has a recipient and the reason for its failure, and is sent after a retry', async () => {
    const { job, email } = await createDeadLetter();
    expect((await listDeadLetters()).find(({ id }) => id === job)).toMatchObject({
      kind: 'mail.rejection',
      profile_email: email,
      attempts: 1,
      error: '550 no such mailbox',
      retryable: true,
    });
    expect((await asAdmin('POST', `/dead/${job}/retry`)).body).toEqual({ message: 'Job requeued' });
    expect((await asAdmin('POST', `/dead/${job}/retry`)).body).toEqual({ detail: 'Job not found' });
    await subject.runJobs();
    expect(await listDeadLetters()).toEqual([]);
    expect(await listActions()).toEqual([{ action: 'job.requeue', target: job }]);
  });

  test('a dead letter that cannot be retried is marked as such, and can be discarded', async () => {
    const { job } = await createDeadLetter('approve');
    expect(await listDeadLetters()).toMatchObject([{ id: job, kind: 'mail.credentials', retryable: false }]);
    const rejection = await asAdmin('POST', `/dead/${job}/retry`);
    expect([rejection.status, rejection.body.detail]).toEqual([409, expect.stringMatching(/^The secret of this job/)]);
    expect((await asAdmin('POST', '/dead/retry', {})).body).toEqual({ requeued: 0, left: 1, outcomes: [] });
    expect((await asAdmin('DELETE', `/dead/${job}`)).body).toEqual({ message: 'Job discarded' });
    expect((await asAdmin('DELETE', `/dead/${job}`)).status).toBe(404);
    expect(await listActions()).toContainEqual({ action: 'job.discard', target: job });
  });

  test('one request retries several dead letters, with an outcome for each, or all dead letters', async () => {
    const [firstLetter, secondLetter, thirdLetter, sealedLetter] = [
      await createDeadLetter(),
      await createDeadLetter(),
      await createDeadLetter(),
      await createDeadLetter('approve'),
    ];
    const ids = [secondLetter.job, unknownId, sealedLetter.job, firstLetter.job];
    expect((await asAdmin('POST', '/dead/retry', { ids })).body).toEqual({
      requeued: 2,
      left: 2,
      outcomes: [
        { id: secondLetter.job, outcome: 'requeued' },
        { id: unknownId, outcome: 'not_given_up' },
        { id: sealedLetter.job, outcome: 'secret_removed' },
        { id: firstLetter.job, outcome: 'requeued' },
      ],
    });
    expect((await listActions()).slice(0, 2).map(({ target }) => target)).toEqual(
      expect.arrayContaining([firstLetter.job, secondLetter.job]),
    );
    expect((await asAdmin('POST', '/dead/retry', {})).body).toEqual({ requeued: 1, left: 1, outcomes: [] });
    expect((await listDeadLetters()).map(({ id }) => id)).toEqual([sealedLetter.job]);
    expect(await listActions()).toContainEqual({ action: 'job.requeue', target: 1 });
    await subject.runJobs();
    await asAdmin('DELETE', `/dead/${sealedLetter.job}`);
    expect(thirdLetter.job).not.toBe(sealedLetter.job);
  });

  test('dead letters are listed page by page', async () => {
    const jobs = [(await createDeadLetter()).job, (await createDeadLetter()).job, (await createDeadLetter()).job];
    const ids = (await pages('/api/jobs/dead?limit=2')).flatMap(({ list }) => list.map(({ id }) => id));
    expect(new Set(ids)).toEqual(new Set(jobs));
    expect(ids).toHaveLength(3);
  });

  test('only administrators see jobs', async () => {
    const { token } = await fixtures.newClient();
    for (const path of ['', '/dead']) {
      expect((await call('GET', `/api/jobs${path}`, { token })).status).toBe(403);
    }
  });
};
