import { aProfile, aTier, noEffects } from '@portico/contracts';
import { expect, test } from 'vitest';
import { describeDialects } from '../../test/dialects.ts';

const undone = [
  "delete from schema_migrations where name = '0005-notices-and-tiers'",
  'drop index jobs_notice_unique',
  'alter table jobs drop column asked',
];

describeDialects(({ withPlace }) => {
  test('a profile that names a removed tier loses it', () =>
    withPlace(async (open, run) => {
      const [gone, there, none] = [aProfile({ tier: 'gone' }), aProfile({ tier: 'gold' }), aProfile()];
      const before = await open();
      await before.stores.limits.addTier(aTier({ tier: 'gold' }), noEffects);
      for (const profile of [gone, there, none]) await before.stores.profiles.add(profile, noEffects);
      await before.close();
      for (const statement of undone) await run(statement);
      const { stores, close } = await open();
      expect(await stores.profiles.list()).toEqual([
        { ...gone, tier: null, updatedAt: gone.updatedAt + 1 },
        there,
        none,
      ]);
      await close();
    }));
});
