import { aCollection, aContent, noEffects } from '@portico/contracts';
import { expect, test } from 'vitest';
import { describeDialects } from '../../test/dialects.ts';

const undone = [
  "delete from schema_migrations where name = '0007-derived-descriptions'",
  'alter table collections drop column description_derived',
];

describeDialects(({ withPlace }) => {
  test('an empty description is derived from now on if the collection was imported, and only then', () =>
    withPlace(async (open, run) => {
      const imported = aCollection({ description: '', importKey: 'roads/1.json' });
      const described = aCollection({ importKey: 'roads/2.json' });
      const created = aCollection({ description: '' });
      const before = await open();
      const all = [imported, described, created];
      for (const collection of all) await before.stores.collections.add(collection, aContent(), noEffects);
      await before.close();
      for (const statement of undone) await run(statement);
      const { stores, close } = await open();
      const found = await Promise.all(all.map(({ id }) => stores.collections.find(id)));
      expect(found).toEqual([{ ...imported, descriptionDerived: true }, described, created]);
      await close();
    }));
});
