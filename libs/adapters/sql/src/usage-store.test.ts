import { aCollection, aContent, aProfile, aUse, noEffects, start } from '@portico/contracts';
import { dayOf, noUses } from '@portico/domain';
import { expect, test } from 'vitest';
import { describeDialects } from '../test/dialects.ts';

const always = { first: 0, end: dayOf(start) + 1, profileId: null, collectionId: null };

describeDialects(({ withDatabase }) => {
  test('the counts of two processes add up, regardless of which one writes first', () =>
    withDatabase(async (open) => {
      const [first, second] = [await open(), await open()];
      const profile = aProfile();
      const collections = Array.from({ length: 20 }, () => aCollection());
      await first.stores.profiles.add(profile, noEffects);
      for (const collection of collections) await first.stores.collections.add(collection, aContent(), noEffects);
      const uses = collections.map((collection) => aUse(profile, collection));
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          await first.stores.usage.add(uses);
          await second.stores.usage.add(uses.toReversed());
        }),
      );
      const lines = await second.stores.usage.report('collection', always, 99);
      expect(lines.map(({ counts }) => counts)).toEqual(collections.map(() => ({ ...noUses, read: 20 })));
      await Promise.all([first.close(), second.close()]);
    }));
});
