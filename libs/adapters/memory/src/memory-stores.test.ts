import {
  aCollection,
  aJob,
  aMailJob,
  anEntry,
  aProfile,
  jobEffectsOf,
  nextId,
  noEffects,
  start,
  grantToClient,
} from '@portico/contracts';
import type { JobId } from '@portico/domain';
import { expect, test } from 'vitest';
import { createMemoryDatabase } from './memory-database.ts';
import { createMemoryStores } from './memory-stores.ts';

test('a dead letter keeps its error and loses its secret', async () => {
  const database = createMemoryDatabase();
  const { embeddingJobs, outbox } = createMemoryStores(database);
  const [mail, otherJob] = [aMailJob(nextId()), aJob()];
  await embeddingJobs.enqueue(jobEffectsOf(mail, otherJob));
  for (const { id } of [mail, otherJob]) await outbox.deadLetter(id, start, 'no such mailbox');
  const storedJob = (id: JobId) => database.jobs.get(id);
  expect(storedJob(mail.id)).toMatchObject({ error: 'no such mailbox', job: { task: { sealed: '' } } });
  expect(storedJob(otherJob.id)).toMatchObject({ error: 'no such mailbox', job: { task: otherJob.task } });
});

test('a postponed job keeps its error', async () => {
  const database = createMemoryDatabase();
  const { embeddingJobs, outbox } = createMemoryStores(database);
  const job = aJob();
  await embeddingJobs.enqueue(jobEffectsOf(job));
  await outbox.retry(job.id, start, 'mailbox busy');
  expect(database.jobs.get(job.id)?.error).toBe('mailbox busy');
});

test('returned records cannot be changed', async () => {
  const { profiles, audit } = createMemoryStores();
  const profile = aProfile();
  await profiles.add(profile, { entries: [anEntry()], deadline: null });
  const storedProfile = await profiles.find(profile.id);
  const [entry] = (await audit.readPage({ source: 'all' }, 0, 1)).entries;
  expect(() => Object.assign(storedProfile ?? {}, { role: 'admin' })).toThrow(TypeError);
  expect(() => Object.assign(entry?.facets ?? {}, { action: 'x' })).toThrow(TypeError);
});

test('changing a record after it was stored does not change the stored copy', async () => {
  const { profiles } = createMemoryStores();
  const profile = aProfile();
  await profiles.add(profile, noEffects);
  Object.assign(profile, { role: 'admin' });
  expect((await profiles.find(profile.id))?.role).toBe('client');
});

test('a grant needs an existing client and collection', async () => {
  const { profiles, grants } = createMemoryStores();
  const profile = aProfile();
  await profiles.add(profile, noEffects);
  const pendingGrant = grantToClient(grants, profile.id, aCollection().id, () => ({ grantedAt: start, ...noEffects }));
  await expect(pendingGrant).rejects.toThrow('A grant needs a grantee and a collection.');
});

test('two sets of stores share nothing', async () => {
  const [stores, otherStores] = [createMemoryStores(), createMemoryStores()];
  await stores.profiles.add(aProfile(), noEffects);
  expect(await otherStores.profiles.list()).toEqual([]);
});
