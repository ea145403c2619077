import {
  aCollection,
  aJob,
  aMailJob,
  anEntry,
  aProfile,
  jobsOnly,
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
  const [mail, other] = [aMailJob(nextId()), aJob()];
  await embeddingJobs.enqueue(jobsOnly(mail, other));
  for (const { id } of [mail, other]) await outbox.deadLetter(id, start, 'no such mailbox');
  const stored = (id: JobId) => database.jobs.get(id);
  expect(stored(mail.id)).toMatchObject({ error: 'no such mailbox', job: { task: { sealed: '' } } });
  expect(stored(other.id)).toMatchObject({ error: 'no such mailbox', job: { task: other.task } });
});

test('a postponed job keeps its error', async () => {
  const database = createMemoryDatabase();
  const { embeddingJobs, outbox } = createMemoryStores(database);
  const job = aJob();
  await embeddingJobs.enqueue(jobsOnly(job));
  await outbox.retry(job.id, start, 'mailbox busy');
  expect(database.jobs.get(job.id)?.error).toBe('mailbox busy');
});

test('records that were returned cannot be changed', async () => {
  const { profiles, audit } = createMemoryStores();
  const profile = aProfile();
  await profiles.add(profile, { entries: [anEntry()], deadline: null });
  const storedProfile = await profiles.find(profile.id);
  const [entry] = (await audit.page({ source: 'all' }, 0, 1)).entries;
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
  const granting = grantToClient(grants, profile.id, aCollection().id, () => ({ grantedAt: start, ...noEffects }));
  await expect(granting).rejects.toThrow('A grant needs a grantee and a collection.');
});

test('two sets of stores share nothing', async () => {
  const [one, other] = [createMemoryStores(), createMemoryStores()];
  await one.profiles.add(aProfile(), noEffects);
  expect(await other.profiles.list()).toEqual([]);
});
