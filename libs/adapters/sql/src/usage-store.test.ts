import { aCollection, aDocumentContent, aProfile, aUsageRecord, noEffects, start } from '@portico/contracts';
import { dayOf, noUses } from '@portico/domain';
import { expect, test } from 'vitest';
import { describeDialects } from '../test/dialects.ts';

const wholePeriod = { first: 0, end: dayOf(start) + 1, profileId: null, collectionId: null };

describeDialects(({ withDatabase }) => {
  test('the counts of two processes add up, regardless of which one writes first', () =>
    withDatabase(async (open) => {
      const [firstStores, secondStores] = [await open(), await open()];
      const profile = aProfile();
      const collections = Array.from({ length: 20 }, () => aCollection());
      await firstStores.stores.profiles.add(profile, noEffects);
      for (const collection of collections)
        await firstStores.stores.collections.add(collection, aDocumentContent(), noEffects);
      const uses = collections.map((collection) => aUsageRecord(profile, collection));
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          await firstStores.stores.usage.add(uses);
          await secondStores.stores.usage.add(uses.toReversed());
        }),
      );
      const lines = await secondStores.stores.usage.report('collection', wholePeriod, 99);
      expect(lines.map(({ counts }) => counts)).toEqual(collections.map(() => ({ ...noUses, read: 20 })));
      await Promise.all([firstStores.close(), secondStores.close()]);
    }));
});
