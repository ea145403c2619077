import {
  createAddDecision,
  aCollection,
  aDocumentContent,
  anEntry,
  anEmbedding,
  anOverride,
  aProfile,
  aTier,
  endOfTime,
  recordLog,
  jobEffectsOf,
  aJob,
  noEffects,
  grantToClient,
  revokeFromClient,
  start,
} from '@portico/contracts';
import { expect, test } from 'vitest';
import { describeDialects } from '../test/dialects.ts';

describeDialects(({ withDatabase, withStores }) => {
  test('stored data is still there after the database is reopened', () =>
    withDatabase(async (open) => {
      const profile = aProfile();
      const collection = aCollection();
      const document = aDocumentContent();
      const embedding = anEmbedding(collection);
      const firstStores = await open();
      await firstStores.stores.profiles.add(profile, noEffects);
      await firstStores.stores.collections.add(collection, document, jobEffectsOf(aJob()));
      await grantToClient(firstStores.stores.grants, profile.id, collection.id, () => ({ ...noEffects, grantedAt: 5 }));
      await firstStores.stores.embeddings.put(embedding);
      await firstStores.stores.limits.addTier(aTier(), noEffects);
      const override = await firstStores.stores.limits.addOverride(profile.id, createAddDecision(anOverride()));
      await firstStores.stores.audit.append(anEntry(), null);
      await firstStores.settings.put('jwks', '{}');
      await firstStores.close();

      const { stores, settings, close } = await open();
      expect(await stores.callers.findByUid(profile.uid, { id: collection.id, detail: 'full' }, start)).toMatchObject({
        profile,
        target: collection,
        hasGrant: true,
        limits: { override: { id: override.id } },
      });
      expect((await stores.collections.findDocument(collection.id))?.packed).toEqual(document.packed);
      expect(await stores.embeddings.listChangedSince(0, 'm1', 9)).toHaveLength(1);
      expect(await stores.limits.listTiers()).toEqual([aTier()]);
      expect(await stores.audit.readPage({ source: 'all' }, 0, 9)).toMatchObject({ total: 1 });
      expect(await stores.outbox.listDue('embed', endOfTime, 9)).toHaveLength(1);
      expect(await settings.get('jwks')).toBe('{}');
      await close();
    }));

  test('an outdated schema is rejected without changes, or migrated, which is logged with the duration', () =>
    withDatabase(async (open, run) => {
      await run("drop index jobs_kind_index; delete from schema_migrations where name = '0002-due-jobs-by-kind'");
      const readAppliedMigrations = () => run<{ name: string }>('select name from schema_migrations order by id', []);
      const migrationsBefore = await readAppliedMigrations();
      await expect(open({ onOutdatedSchema: 'reject' })).rejects.toThrow(
        'cannot be opened: its schema is outdated (1 migration is missing). Back up the database, then run "portico migrate-tables" or start the service',
      );
      expect(await readAppliedMigrations()).toEqual(migrationsBefore);
      const log = recordLog();
      const { appliedMigrations: migrated, close } = await open({ log });
      await close();
      expect(migrated).toEqual([{ name: '0002-due-jobs-by-kind', ms: expect.any(Number) as number }]);
      expect(log.lines).toMatchObject([
        { level: 'info', message: 'The database schema is outdated: migrating it now' },
        {
          level: 'info',
          message: `Migration 0002-due-jobs-by-kind ran in ${migrated[0]?.ms} ms`,
          fields: { migration: '0002-due-jobs-by-kind', ms: migrated[0]?.ms },
        },
      ]);
      const reopenedStores = await open({ onOutdatedSchema: 'reject' });
      expect(reopenedStores.appliedMigrations).toEqual([]);
      await reopenedStores.close();
    }));

  test('an epoch from before a backup was restored is never reused', () =>
    withStores(async ({ stores }) => {
      const profile = aProfile();
      const collection = aCollection();
      await stores.profiles.add(profile, noEffects);
      const startedAt = Date.now();
      await stores.collections.add(collection, aDocumentContent(), noEffects);
      await grantToClient(stores.grants, profile.id, collection.id, () => ({ ...noEffects, grantedAt: 5 }));
      await stores.embeddings.put(anEmbedding(collection));
      const epochs = (await stores.callers.findByUid(profile.uid, null, start))?.epochs;
      for (const epoch of [epochs?.grants, epochs?.catalog, epochs?.embeddings]) {
        expect(epoch).toBeGreaterThanOrEqual(startedAt);
        expect(Number.isSafeInteger(epoch)).toBe(true);
      }
      await revokeFromClient(stores.grants, profile.id, collection.id, () => noEffects);
      const newEpochs = (await stores.callers.findByUid(profile.uid, null, start))?.epochs;
      expect(newEpochs?.grants).toBeGreaterThan(epochs?.grants ?? Infinity);
    }));

  test('a name of 200 characters is stored and listed, regardless of the length of its sort key', () =>
    withStores(async ({ stores }) => {
      // Each character has 4 bytes, and 12 once normalised.
      const collection = aCollection({ name: '\u{1d160}'.repeat(200) });
      await stores.collections.add(collection, aDocumentContent(), noEffects);
      const [listedCollection] = await stores.collections.list({ scope: 'all' }, { limit: 1, after: null });
      expect(listedCollection?.name).toBe(collection.name);
    }));

  test('the probe passes while the database is open, and fails afterwards', () =>
    withDatabase(async (open) => {
      const { probe, settings, close } = await open();
      // Opening a connection may take longer than the probe's timeout.
      await settings.get('name');
      await probe.check();
      await close();
      await expect(probe.check()).rejects.toThrow();
    }));

  test('closing waits for earlier requests, and rejects later ones', () =>
    withDatabase(async (open) => {
      const firstStores = await open();
      const requests = [firstStores.stores.audit.append(anEntry(), null), firstStores.settings.put('name', 'value')];
      await firstStores.close();
      await Promise.all(requests);
      await expect(firstStores.settings.put('name', 'other')).rejects.toThrow('closed');
      await expect(firstStores.stores.audit.append(anEntry(), null)).rejects.toThrow('closed');

      const { stores, settings, close } = await open();
      expect(await settings.get('name')).toBe('value');
      expect(await stores.audit.readPage({ source: 'all' }, 0, 1)).toMatchObject({ total: 1 });
      await close();
    }));

  test('a setting keeps its value until it is replaced; if several first values are put concurrently, one of them is stored', () =>
    withStores(async ({ settings }) => {
      expect(await settings.get('pepper')).toBeNull();
      const values = await Promise.all(['a', 'b', 'c'].map((value) => settings.putIfAbsent('pepper', value)));
      const storedPepper = await settings.get('pepper');
      expect(values).toEqual([storedPepper, storedPepper, storedPepper]);
      await settings.put('pepper', 'z');
      expect(await settings.putIfAbsent('pepper', 'a')).toBe('z');
    }));
});
