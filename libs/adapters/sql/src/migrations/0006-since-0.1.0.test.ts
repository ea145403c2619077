import { aCollection, aDocumentContent, aPackedDocument, noEffects } from '@portico/contracts';
import { activeLifecycle, type CollectionId, emptyChangePolicy } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { type Kind, createDatabaseConfig, runIn } from '../../test/movable.ts';
import { postgres } from '../../test/with-postgresql.ts';
import { openSqlStores, type SqlConfig, type SqlStores } from '../index.ts';
import { migrations } from './index.ts';

const idOf = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;

/** Creates the tables of release 0.1.0, with `rows`. */
const createReleasedDatabase = async (kind: Kind, rows: readonly string[]): Promise<SqlConfig> => {
  const config = await createDatabaseConfig(kind);
  const earlierMigrations = migrations.filter(({ name }) => name < '0006');
  const id = kind === 'sqlite' ? 'integer' : 'serial';
  const statements = [
    ...earlierMigrations.flatMap(({ sql }) => sql[kind]),
    `create table schema_migrations (id ${id} primary key, name text, executed_at timestamp default current_timestamp)`,
    ...earlierMigrations.map(({ name }) => `insert into schema_migrations (name) values ('${name}')`),
    ...rows,
  ];
  await runIn(config, statements.join(';\n'));
  return config;
};

const profile = (number: number, email: string): string =>
  `insert into profiles (id, email, full_name, role, status, uid, issuer, bound, created_at, updated_at, grants_epoch)
    values ('${idOf(number)}', '${email}', 'Name', 'client', 'pending', 'uid ${number}', null, false, ${number}, ${number}, 0)`;

const collection = (number: number, name: string, description: string, importKey: string | null): string =>
  `insert into collections (id, name, name_key, description, created_by, created_at, updated_at, revision,
      content_revision, base_url, derived_type, document_digest, import_key)
    values ('${idOf(number)}', '${name}', 'key', '${description}', 'x', 1, 1, 7, 3, '/', 'none', 'd',
      ${importKey === null ? 'null' : `'${importKey}'`})`;

const embedding = (kind: Kind, number: number, model: string): string =>
  `insert into embeddings (collection_id, model_id, content_revision, sequence, vector)
    values ('${idOf(number)}', '${model}', 3, ${number}, ${kind === 'sqlite' ? "x'00000000'" : String.raw`'\x00000000'`})`;

const document = (kind: Kind, number: number): string =>
  `insert into documents (collection_id, deflated, crc32, bytes)
    values ('${idOf(number)}', ${kind === 'sqlite' ? "x'00'" : String.raw`'\x00'`}, 1, 2)`;

const noSettings = {
  ...{ baseUrlSetting: null, serverVariables: {}, credentialSchemes: [] },
  ...{ delivery: 'reveal', ownCredentials: false },
  ...{ lifecycle: activeLifecycle, ownerGroup: null, tags: [], changePolicy: emptyChangePolicy },
};

const withMigratedRelease = async <T>(
  kind: Kind,
  rows: readonly string[],
  work: (sqlStores: SqlStores, config: SqlConfig) => Promise<T>,
): Promise<T> => {
  const config = await createReleasedDatabase(kind, rows);
  const sqlStores = await openSqlStores(config);
  expect(sqlStores.appliedMigrations.map(({ name }) => name)).toEqual(['0006-since-0.1.0']);
  return work(sqlStores, config).finally(() => sqlStores.close());
};

describe.each((['sqlite', 'postgresql'] as const).filter((kind) => kind === 'sqlite' || postgres))('on %s', (kind) => {
  test('profiles of release 0.1.0 are found by any form of their email address; two that share a mailbox are found by their exact form', () => {
    const emails = ['ada@example.com', 'b@b\u00fccher.example', 'b@xn--bcher-kva.example', 'jos\u00e9@x.example'];
    const rows = emails.map((email, index) => profile(index, email));
    return withMigratedRelease(kind, rows, async ({ stores }) => {
      for (const [index, email] of emails.entries())
        expect(await stores.profiles.findByEmail(email)).toMatchObject({ id: idOf(index), email });
      const findId = async (email: string) => (await stores.profiles.findByEmail(email))?.id;
      expect(await findId('ADA@example.com')).toBe(idOf(0));
      expect(await findId('Jose\u0301@x.example')).toBe(idOf(3));
    });
  });

  test('a credential of release 0.1.0 is bound to no origins', () => {
    const sealed = `update collections set stored_type = 'bearer', stored_name = 'Authorization', stored_sealed_value = 'c2Vh'`;
    return withMigratedRelease(kind, [collection(1, 'One', '', null), sealed], async ({ stores: { collections } }) => {
      const migratedCollection = await collections.find(idOf(1) as CollectionId);
      expect(migratedCollection?.storedAuthentication).toEqual({
        ...{ type: 'bearer', name: 'Authorization', in: null },
        ...{ sealedValue: 'c2Vh', origins: null },
      });
    });
  });

  test('collections of release 0.1.0 get composed names, and derived descriptions if they were imported without one', () => {
    const rows = [
      collection(1, 'E\u0301tat', '', 'roads/1.json'),
      collection(2, 'Two', 'A text', 'roads/2.json'),
      collection(3, 'Three', '', null),
    ];
    return withMigratedRelease(kind, rows, async ({ stores: { collections, operations } }) => {
      const migratedCollections = await Promise.all(
        [1, 2, 3].map((number) => collections.find(idOf(number) as CollectionId)),
      );
      expect(migratedCollections).toMatchObject([
        { name: '\u00c9tat', revision: 8, descriptionDerived: true, discoverable: false },
        { name: 'Two', revision: 7, descriptionDerived: false, ...noSettings },
        { name: 'Three', revision: 7, descriptionDerived: false },
      ]);
      // The jobs that read the collections' documents have not run yet.
      expect(await operations.findDigest(idOf(1) as CollectionId)).toBeNull();
    });
  });

  test('the document of release 0.1.0 is the first revision; one that it writes later replaces the newest', () => {
    const rows = [collection(1, 'One', '', null), document(kind, 1)];
    return withMigratedRelease(kind, rows, async ({ stores: { collections, revisions } }, config) => {
      const id = idOf(1) as CollectionId;
      const unknown = { actorId: null, actorName: null, origin: null, counts: null, breakingTexts: [] };
      const first = { number: 1, digest: 'd', createdAt: 1, ...unknown };
      expect(await revisions.list(id, { limit: 9, before: null })).toEqual([first]);
      const revise = (documentDigest: string) =>
        collections.update(id, (current) => ({
          collection: { ...current, documentDigest },
          document: aDocumentContent(`{"x":"${documentDigest}"}`),
          ...noEffects,
        }));
      await revise('e');
      await runIn(config, `update collections set document_digest = 'f'`);
      expect((await revisions.list(id, { limit: 9, before: null })).map(({ digest }) => digest)).toEqual(['f', 'd']);
      await revise('g');
      const list = await revisions.list(id, { limit: 9, before: null });
      expect(list.map(({ digest }) => digest)).toEqual(['g', 'f', 'd']);
      expect(list[1]).toMatchObject(unknown);
      expect((await revisions.findText(id, 2))?.digest).toBe('f');
      await runIn(config, 'delete from collection_revisions');
      await revise('h');
      expect((await revisions.list(id, { limit: 9, before: null })).map(({ number }) => number)).toEqual([2, 1]);
    });
  });

  test('a document of release 0.1.0 was stored as sent, also one that it writes over a converted one', async () => {
    const config = await createReleasedDatabase(kind, [collection(1, 'One', '', null)]);
    const sqlStores = await openSqlStores(config);
    try {
      const { collections } = sqlStores.stores;
      expect(await collections.find(idOf(1) as CollectionId)).toMatchObject({ original: null });
      const original = { version: '2.0', digest: 'ab'.repeat(32) };
      const convertedCollection = aCollection({ original });
      const document = { ...aDocumentContent(), original: { ...original, packed: aPackedDocument() } };
      await collections.add(convertedCollection, document, noEffects);
      const { id } = convertedCollection;
      expect((await collections.findOriginal(id))?.digest).toBe(original.digest);
      await runIn(config, `update collections set document_digest = 'new' where id = '${id}'`);
      expect((await collections.find(id))?.original).toBeNull();
      expect(await collections.findOriginal(id)).toBeNull();
    } finally {
      await sqlStores.close();
    }
  });

  test('searches use the embeddings of release 0.1.0 from the model that has the most of them', () => {
    const rows = [1, 2, 3].map((number) => collection(number, `${number}`, '', null));
    const vectors = [embedding(kind, 1, 'a'), embedding(kind, 2, 'b'), embedding(kind, 3, 'b')];
    return withMigratedRelease(kind, [...rows, ...vectors], async ({ stores: { models, embeddings } }) => {
      const { serving, announcedModels } = await models.readState();
      expect(serving).toBe('b');
      expect(announcedModels.map(({ modelId, firstSeenAt }) => [modelId, firstSeenAt])).toEqual([
        ['a', 0],
        ['b', 0],
      ]);
      const changes = await embeddings.listChangedSince(0, 'b', 9);
      expect(changes.map(({ collectionId, sequence }) => [collectionId, sequence])).toEqual([
        [idOf(2), 2],
        [idOf(3), 3],
      ]);
    });
  });
});
