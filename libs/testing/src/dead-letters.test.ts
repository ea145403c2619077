import { expect, test } from 'vitest';
import { authorityOf, DeliveryError, operatorAuthority, type JobId, type Mailer } from '@portico/domain';

import { createHarness, type Harness } from './harness.ts';
import { testIssuer } from './test-issuer.ts';

const authority = operatorAuthority;

const register = ({ useCases }: Harness, uid: string) =>
  useCases.registerProfile({ uid, email: `${uid}@example.com`, fullName: uid, companyName: null }, null, null);

test('an email that the server rejects is given up, listed, requeued, and sent once the server accepts it', async () => {
  const harness = createHarness();
  const { useCases, mailer } = harness;
  mailer.failWith('permanent');
  const ada = await register(harness, 'ada');
  await useCases.rejectProfile(authority, ada.id, 'no');
  await harness.runJobs();
  const { deadLetters, total, waiting } = await useCases.listDeadLetters(10);
  expect([total, waiting]).toEqual([1, 0]);
  expect(deadLetters).toMatchObject([{ kind: 'mail.rejection', profileId: ada.id, attempts: 1, secretRemoved: false }]);
  const [job] = deadLetters;
  if (!job) throw new Error('nothing was given up');
  mailer.failWith(null);
  expect(await useCases.requeueJob(authority, job.id)).toBe('requeued');
  await harness.runJobs();
  expect(mailer.sentMails.map(({ to }) => to)).toEqual(['ada@example.com']);
  expect(await useCases.listDeadLetters(10)).toEqual({ deadLetters: [], total: 0, waiting: 0 });
});

test('a dead letter with credentials is never sent: the client gets new credentials, and the dead letter is discarded', async () => {
  const harness = createHarness();
  const { useCases, mailer } = harness;
  mailer.failWith('permanent');
  const ada = await register(harness, 'ada');
  const eve = await register(harness, 'eve');
  await useCases.approveProfile(authority, ada.id);
  await useCases.rejectProfile(authority, eve.id, 'no');
  await harness.runJobs();
  mailer.failWith(null);
  expect(await useCases.requeueJobs(authority)).toBe(1);
  await harness.runJobs();
  expect(mailer.sentMails.map(({ to }) => to)).toEqual(['eve@example.com']);
  const [job] = (await useCases.listDeadLetters(10)).deadLetters;
  if (!job) throw new Error('nothing was given up');
  expect(job).toMatchObject({ kind: 'mail.credentials', profileId: ada.id, secretRemoved: true });
  expect(await useCases.requeueJob(authority, job.id)).toBe('secret removed');
  expect((await useCases.rotateCredentials(authority, ada.id, 0)).secret).toMatch(/^portico_sk_/);
  expect([await useCases.discardJob(authority, job.id), await useCases.discardJob(authority, job.id)]).toEqual([
    true,
    false,
  ]);
  expect((await useCases.listDeadLetters(10)).total).toBe(0);
});

test('the error of a mail server is stored as one line, short enough for any database', async () => {
  const reply = `550 \u0000no\ud800${'!'.repeat(5_000)}`;
  const mailer: Mailer = {
    enabled: true,
    send: async () => {
      throw new DeliveryError(reply, true);
    },
  };
  const harness = createHarness({}, { mailer });
  await harness.useCases.rejectProfile(authority, (await register(harness, 'ada')).id, null);
  await harness.runJobs();
  const [job] = (await harness.useCases.listDeadLetters(10)).deadLetters;
  expect(job?.error).toMatch(/^550 {2}no\ufffd!{900,}…$/);
  expect(job?.error.length).toBeLessThanOrEqual(1_000);
});

test('an unknown job is not requeued', async () => {
  const { useCases } = createHarness();
  expect(await useCases.requeueJob(authority, 'no such job' as JobId)).toBe('no dead letter');
});

test('requeueing or discarding a dead letter writes an entry, unless it has no effect', async () => {
  const harness = createHarness();
  const { useCases, mailer, ports } = harness;
  mailer.failWith('permanent');
  for (const uid of ['ada', 'eve', 'bob']) {
    await useCases.rejectProfile(authority, (await register(harness, uid)).id, null);
  }
  await harness.runJobs();
  const [firstLetter, secondLetter] = (await useCases.listDeadLetters(9)).deadLetters;
  if (!firstLetter || !secondLetter) throw new Error('nothing was given up');
  const totalBefore = (await ports.audit.readPage({ source: 'system' }, 0, 99)).total;
  const unknownJob = 'no such job' as JobId;
  await useCases.requeueJob(authority, firstLetter.id);
  await useCases.requeueJob(authority, unknownJob);
  await useCases.discardJob(authority, secondLetter.id);
  await useCases.discardJob(authority, unknownJob);
  await useCases.requeueJobs(authority);
  await useCases.requeueJobs(authority);
  const { entries, total } = await ports.audit.readPage({ source: 'system' }, 0, 3);
  expect(total - totalBefore).toBe(3);
  expect(entries.toReversed().map(({ message }) => JSON.parse(message) as unknown)).toEqual([
    { action: 'job.requeue', job_id: firstLetter.id },
    { action: 'job.discard', job_id: secondLetter.id },
    { action: 'job.requeue', count: 1 },
  ]);
});

const spec = { openapi: '3.0.3', info: { title: 'T', version: '1' }, paths: {} };

const create = async ({ useCases, documents }: Harness, name: string) => {
  const admin = await useCases.claimFirstAdmin({ issuer: testIssuer, uid: 'root', email: 'root@example.com' });
  const document = await documents.readFile(Buffer.from(JSON.stringify(spec)));
  if (!admin) throw new Error('There is already an admin');
  const collection = { name, description: '', authentication: null, document, strict: false };
  return useCases.createCollection(authorityOf({ profile: admin, deadline: null }), admin.id, collection);
};

test('a text that cannot be embedded becomes a dead letter, retried once per process and model', async () => {
  const harness = createHarness();
  const { useCases, embedder } = harness;
  embedder.reject('weather');
  const { id } = await create(harness, 'weather');
  await harness.runJobs();
  const reason = 'The embedder is set to reject this text';
  expect((await useCases.listDeadLetters(9)).deadLetters).toMatchObject([
    { kind: 'embed', collectionId: id, attempts: 1, error: reason },
  ]);
  // The first call in a process retries the job, because the reason may have been fixed by then. The new job replaces
  // the dead letter.
  for (let check = 1; check <= 3; check += 1) {
    expect((await useCases.checkModels()).outdatedCount).toBe(1);
    await harness.runJobs();
    expect(await useCases.listDeadLetters(9)).toMatchObject({ deadLetters: [{ attempts: 1 }], total: 1, waiting: 0 });
  }
  const [firstLetter] = (await useCases.listDeadLetters(9)).deadLetters;
  await useCases.checkModels();
  await harness.runJobs();
  expect((await useCases.listDeadLetters(9)).deadLetters[0]?.id).toBe(firstLetter?.id);
  embedder.change();
  await useCases.checkModels();
  await harness.runJobs();
  expect((await useCases.listDeadLetters(9)).deadLetters[0]?.id).not.toBe(firstLetter?.id);
});

test('while the embedder is unavailable, embeddings are not given up, regardless of the number of retries', async () => {
  const harness = createHarness();
  const { useCases, embedder } = harness;
  embedder.interrupt();
  await create(harness, 'weather');
  for (let time = 1; time <= 30; time += 1) {
    await harness.runJobs();
    harness.clock.advance(300_000);
  }
  expect(await useCases.listDeadLetters(9)).toEqual({ deadLetters: [], total: 0, waiting: 1 });
  embedder.resume();
  await harness.runJobs();
  expect(await useCases.listDeadLetters(9)).toEqual({ deadLetters: [], total: 0, waiting: 0 });
});
