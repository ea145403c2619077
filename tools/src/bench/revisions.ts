import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { aCollection, aDocumentContent, aProfile, grantToClient, noEffects, start } from '@portico/contracts';
import { dayMs, type CollectionId, type Visibility } from '@portico/domain';
import { createDocumentReader } from '@portico/openapi';
import { openSqlStores } from '@portico/sql';
import { makeDocument } from '../big-catalog/random-objects.ts';
import { createSeededRandom } from '../seeded-random.ts';
import { createTemporaryFolder } from './installation.ts';
import { reportFigures, type Figure } from './report.ts';
import { medianOf } from './statistics.ts';

/**
 * `npm run bench:revisions`: times reads through the ports of SQLite with 1,000 collections, first with one revision of
 * each, then with 100. Prints the size of a revision, and by how much its text exceeds it.
 */
const { values } = parseArgs({ options: { revisions: { type: 'string', default: '100000' } } });
const [collectionCount, count] = [1_000, Number(values.revisions)];
const revisionsPerCollection = Math.ceil(count / collectionCount);

await using stack = new AsyncDisposableStack();
const file = join(createTemporaryFolder(stack), 'portico.sqlite');
const random = createSeededRandom(1);
const documents = createDocumentReader();
stack.defer(() => documents.close());
const parts = Array.from({ length: 20 }, () => JSON.parse(makeDocument(random)) as unknown);
const text = JSON.stringify({ openapi: '3.0.3', info: { title: 'Roads', version: '1' }, paths: {}, 'x-parts': parts });
const { packed } = await documents.readFile(Buffer.from(text));

const { stores, close } = await openSqlStores({ kind: 'sqlite', file });
stack.defer(close);
const profile = aProfile();
await stores.profiles.add(profile, noEffects);
const ids: CollectionId[] = [];
for (let index = 0; index < collectionCount; index++) {
  const collection = aCollection({ name: `API ${index}` });
  await stores.collections.add(collection, { ...aDocumentContent(), packed }, noEffects);
  ids.push(collection.id);
}
for (const id of ids.slice(0, 10))
  await grantToClient(stores.grants, profile.id, id, () => ({ grantedAt: start, ...noEffects }));

const sampleCount = 100;
/** Returns the median of the time that a read takes, in ms. */
const measure = async (read: (id: CollectionId) => Promise<unknown>): Promise<number> => {
  const times: number[] = [];
  for (let index = 0; index < sampleCount; index++) {
    const id = random.pick(ids);
    const startedAt = performance.now();
    await read(id);
    times.push(performance.now() - startedAt);
  }
  return medianOf(times);
};
const [otherProfile, busyProfile] = [aProfile(), aProfile()];
for (const other of [otherProfile, busyProfile]) await stores.profiles.add(other, noEffects);
for (const id of ids)
  await grantToClient(stores.grants, busyProfile.id, id, () => ({ grantedAt: start, ...noEffects }));
const readChangesOf = ({ id }: typeof profile) => {
  const granted: Visibility = { scope: 'granted', profileId: id, now: start };
  return stores.revisions.listRecent(granted, { limit: 100, since: null, after: null });
};
const page = { limit: 100, after: null };
const reads = {
  'a collection': (id: CollectionId) => stores.collections.find(id),
  'a document': (id: CollectionId) => stores.collections.findDocument(id),
  'a page of 100 collections': () => stores.collections.list({ scope: 'all' }, page),
  'a page of 100 revisions': (id: CollectionId) => stores.revisions.list(id, { limit: 100, before: null }),
  'a page of 100 changes of all collections': () =>
    stores.revisions.listRecent({ scope: 'all' }, { limit: 100, since: null, after: null }),
  'the changes of a client without grants': () => readChangesOf(otherProfile),
  'a page of 100 changes of 10 granted collections': () => readChangesOf(profile),
  'a page of 100 changes of 1,000 granted collections': () => readChangesOf(busyProfile),
  'the number and size of all revisions': () => stores.revisions.measure(),
  'removing revisions, when none is old enough': () => stores.revisions.prune({ newest: 50, since: start }, 100),
  'removing revisions, when all are old, but few enough': () =>
    stores.revisions.prune({ newest: revisionsPerCollection, since: start + 1_000 * dayMs }, 100),
} satisfies Readonly<Record<string, (id: CollectionId) => Promise<unknown>>>;

const measureAll = async (title: string): Promise<void> => {
  const figures: Figure[] = [];
  for (const [name, read] of Object.entries(reads)) figures.push({ name, ms: await measure(read), budgetMs: 250 });
  reportFigures(title, figures);
};

await measureAll(`with ${collectionCount} revisions, p50`);
const checkpoint = (database: DatabaseSync) => database.exec('pragma wal_checkpoint(truncate)');
const database = new DatabaseSync(file);
stack.defer(() => database.close());
checkpoint(database);
const bytesBefore = statSync(file).size;
const insertRevisions = `insert into collection_revisions (collection_id, number, digest, created_at, actor_id, actor_name,
    counts, breaking_texts, changes, packed_bytes, deflated, crc32, bytes)
  with recursive numbers (n) as (select 2 union all select n + 1 from numbers where n < ?)
  select c.id, n, c.document_digest, ? + n * ?, c.created_by, 'ada@example.com',
    '{"breaking":1,"warning":0,"info":2}', '["GET /roads: The operation was removed."]', '[]', length(d.deflated),
    d.deflated, d.crc32, d.bytes
  from numbers, collections c join documents d on d.collection_id = c.id order by n, c.id`;
database.prepare(insertRevisions).run(revisionsPerCollection, start, dayMs);
checkpoint(database);
const perRevision = (statSync(file).size - bytesBefore) / (collectionCount * (revisionsPerCollection - 1));
await measureAll(`with ${collectionCount * revisionsPerCollection} revisions, p50`);
process.stdout.write(
  `a document of ${packed.bytes} bytes, packed to ${packed.deflated.length}: ${Math.round(perRevision)} bytes for each revision\n`,
);
