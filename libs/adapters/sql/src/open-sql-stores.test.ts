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
  grantOne,
  revokeOne,
  start,
} from '@portico/contracts';
import { expect, test } from 'vitest';
import { describeDialects } from '../test/dialects.ts';

describeDialects(({ withPlace, withStores }) => {
  test('stored data is there after the database is reopened', () =>
    withPlace(async (open) => {
      const profile = aProfile();
      const collection = aCollection();
      const document = aContent();
      const embedding = anEmbedding(collection);
      const first = await open();
      await first.stores.profiles.add(profile, noEffects);
      await first.stores.collections.add(collection, document, jobsOnly(aJob()));
      await grantOne(first.stores.grants, profile.id, collection.id, () => ({ ...noEffects, grantedAt: 5 }));
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

  test('tables of an earlier version are refused as they are, or migrated, and the log says what ran and how long', () =>
    withPlace(async (open, run) => {
      await run("drop index jobs_kind_index; delete from schema_migrations where name = '0002-due-jobs-by-kind'");
      const applied = () => run<{ name: string }>('select name from schema_migrations order by id', []);
      const before = await applied();
      await expect(open({ older: 'refuse' })).rejects.toThrow(
        'cannot be opened: its tables are of an earlier version (1 migration is missing). Back up, then run "portico migrate-tables", or start the service',
      );
      expect(await applied()).toEqual(before);
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
      const again = await open({ older: 'refuse' });
      expect(again.migrated).toEqual([]);
      await again.close();
    }));

  test('an epoch from before the restore of a backup never returns', () =>
    withStores(async ({ stores }) => {
      const profile = aProfile();
      const collection = aCollection();
      await stores.profiles.add(profile, noEffects);
      const before = Date.now();
      await stores.collections.add(collection, aContent(), noEffects);
      await grantOne(stores.grants, profile.id, collection.id, () => ({ ...noEffects, grantedAt: 5 }));
      await stores.embeddings.put(anEmbedding(collection));
      const epochs = (await stores.callers.byUid(profile.uid, null, start))?.epochs;
      for (const epoch of [epochs?.grants, epochs?.catalog, epochs?.embeddings]) {
        expect(epoch).toBeGreaterThanOrEqual(before);
        expect(Number.isSafeInteger(epoch)).toBe(true);
      }
      await revokeOne(stores.grants, profile.id, collection.id, () => noEffects);
      const after = (await stores.callers.byUid(profile.uid, null, start))?.epochs;
      expect(after?.grants).toBeGreaterThan(epochs?.grants ?? Infinity);
    }));

  test('a name of 200 characters is stored and listed, however long its sort key', () =>
    withStores(async ({ stores }) => {
      // 4 bytes each, and 12 once normalised.
      const collection = aCollection({ name: '\u{1d160}'.repeat(200) });
      await stores.collections.add(collection, aContent(), noEffects);
      const [listed] = await stores.collections.list({ of: 'all' }, { limit: 1, after: null });
      expect(listed?.name).toBe(collection.name);
    }));

  test('the probe passes while the database is open, and fails afterwards', () =>
    withPlace(async (open) => {
      const { probe, settings, close } = await open();
      // Opening a connection may take longer than the probe's timeout.
      await settings.get('name');
      await probe.check();
      await close();
      await expect(probe.check()).rejects.toThrow();
    }));

  test('closing waits for earlier requests, and refuses later ones', () =>
    withPlace(async (open) => {
      const first = await open();
      const asked = [first.stores.audit.append(anEntry(), null), first.settings.put('name', 'value')];
      await first.close();
      await Promise.all(asked);
      await expect(first.settings.put('name', 'other')).rejects.toThrow('closed');
      await expect(first.stores.audit.append(anEntry(), null)).rejects.toThrow('closed');

      const { stores, settings, close } = await open();
      expect(await settings.get('name')).toBe('value');
      expect(await stores.audit.page({ source: 'all' }, 0, 1)).toMatchObject({ total: 1 });
      await close();
    }));

  test('a setting stays until it is replaced; of simultaneous first ones one is stored', () =>
    withStores(async ({ settings }) => {
      expect(await settings.get('pepper')).toBeNull();
      const answers = await Promise.all(['a', 'b', 'c'].map((value) => settings.putIfAbsent('pepper', value)));
      const kept = await settings.get('pepper');
      expect(answers).toEqual([kept, kept, kept]);
      await settings.put('pepper', 'z');
      expect(await settings.putIfAbsent('pepper', 'a')).toBe('z');
    }));
});
