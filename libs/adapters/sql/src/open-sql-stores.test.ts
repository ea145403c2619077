import {
  adding,
  aCollection,
  aContent,
  anEntry,
  anEmbedding,
  anOverride,
  aProfile,
  aTier,
  endOfTime,
  recordLog,
  jobsOnly,
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
      const document = aContent();
      const embedding = anEmbedding(collection);
      const first = await open();
      await first.stores.profiles.add(profile, noEffects);
      await first.stores.collections.add(collection, document, jobsOnly(aJob()));
      await grantToClient(first.stores.grants, profile.id, collection.id, () => ({ ...noEffects, grantedAt: 5 }));
      await first.stores.embeddings.put(embedding);
      await first.stores.limits.addTier(aTier(), noEffects);
      const override = await first.stores.limits.addOverride(profile.id, adding(anOverride()));
      await first.stores.audit.append(anEntry(), null);
      await first.settings.put('jwks', '{}');
      await first.close();

      const { stores, settings, close } = await open();
      expect(await stores.callers.byUid(profile.uid, { id: collection.id, part: 'whole' }, start)).toMatchObject({
        profile,
        target: collection,
        granted: true,
        limits: { override: { id: override.id } },
      });
      expect((await stores.collections.document(collection.id))?.packed).toEqual(document.packed);
      expect(await stores.embeddings.changedSince(0, 'm1', 9)).toHaveLength(1);
      expect(await stores.limits.tiers()).toEqual([aTier()]);
      expect(await stores.audit.page({ source: 'all' }, 0, 9)).toMatchObject({ total: 1 });
      expect(await stores.outbox.due('embed', endOfTime, 9)).toHaveLength(1);
      expect(await settings.get('jwks')).toBe('{}');
      await close();
    }));

  test('tables of an earlier version are refused unchanged, or migrated, which is logged with its duration', () =>
    withDatabase(async (open, run) => {
      await run("drop index jobs_kind_index; delete from schema_migrations where name = '0002-due-jobs-by-kind'");
      const applied = () => run<{ name: string }>('select name from schema_migrations order by id', []);
      const appliedBefore = await applied();
      await expect(open({ older: 'refuse' })).rejects.toThrow(
        'cannot be opened: its tables are of an earlier version (1 migration is missing). Back up, then run "portico migrate-tables", or start the service',
      );
      expect(await applied()).toEqual(appliedBefore);
      const log = recordLog();
      const { migrated, close } = await open({ log });
      await close();
      expect(migrated).toEqual([{ name: '0002-due-jobs-by-kind', ms: expect.any(Number) as number }]);
      expect(log.lines).toMatchObject([
        { level: 'info', message: 'The tables are of an earlier version: they are migrated now' },
        {
          level: 'info',
          message: `Migration 0002-due-jobs-by-kind ran in ${migrated[0]?.ms} ms`,
          fields: { migration: '0002-due-jobs-by-kind', ms: migrated[0]?.ms },
        },
      ]);
      const reopened = await open({ older: 'refuse' });
      expect(reopened.migrated).toEqual([]);
      await reopened.close();
    }));

  test('an epoch from before the restore of a backup is never reused', () =>
    withStores(async ({ stores }) => {
      const profile = aProfile();
      const collection = aCollection();
      await stores.profiles.add(profile, noEffects);
      const startedAt = Date.now();
      await stores.collections.add(collection, aContent(), noEffects);
      await grantToClient(stores.grants, profile.id, collection.id, () => ({ ...noEffects, grantedAt: 5 }));
      await stores.embeddings.put(anEmbedding(collection));
      const epochs = (await stores.callers.byUid(profile.uid, null, start))?.epochs;
      for (const epoch of [epochs?.grants, epochs?.catalog, epochs?.embeddings]) {
        expect(epoch).toBeGreaterThanOrEqual(startedAt);
        expect(Number.isSafeInteger(epoch)).toBe(true);
      }
      await revokeFromClient(stores.grants, profile.id, collection.id, () => noEffects);
      const newEpochs = (await stores.callers.byUid(profile.uid, null, start))?.epochs;
      expect(newEpochs?.grants).toBeGreaterThan(epochs?.grants ?? Infinity);
    }));

  test('a name of 200 characters is stored and listed, regardless of the length of its sort key', () =>
    withStores(async ({ stores }) => {
      // Each character has 4 bytes, and 12 once normalised.
      const collection = aCollection({ name: '\u{1d160}'.repeat(200) });
      await stores.collections.add(collection, aContent(), noEffects);
      const [listed] = await stores.collections.list({ of: 'all' }, { limit: 1, after: null });
      expect(listed?.name).toBe(collection.name);
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
      const first = await open();
      const requests = [first.stores.audit.append(anEntry(), null), first.settings.put('name', 'value')];
      await first.close();
      await Promise.all(requests);
      await expect(first.settings.put('name', 'other')).rejects.toThrow('closed');
      await expect(first.stores.audit.append(anEntry(), null)).rejects.toThrow('closed');

      const { stores, settings, close } = await open();
      expect(await settings.get('name')).toBe('value');
      expect(await stores.audit.page({ source: 'all' }, 0, 1)).toMatchObject({ total: 1 });
      await close();
    }));

  test('a setting stays until it is replaced; one of several simultaneous first values is stored', () =>
    withStores(async ({ settings }) => {
      expect(await settings.get('pepper')).toBeNull();
      const values = await Promise.all(['a', 'b', 'c'].map((value) => settings.putIfAbsent('pepper', value)));
      const stored = await settings.get('pepper');
      expect(values).toEqual([stored, stored, stored]);
      await settings.put('pepper', 'z');
      expect(await settings.putIfAbsent('pepper', 'a')).toBe('z');
    }));
});
