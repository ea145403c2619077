import { aCollection, aContent, aProfile, noEffects, start } from '@portico/contracts';
import { type Collection, isPlainLine } from '@portico/domain';
import { expect, test } from 'vitest';
import { describeDialects } from '../../test/dialects.ts';

const at = (baseUrl: string): Partial<Collection> => ({ baseUrl });
const named = (name: string): Partial<Collection> => ({
  derivedAuthentication: { type: 'apiKey', name, in: 'query' },
});
const root = at('/');
const none: Partial<Collection> = { derivedAuthentication: { type: 'none', name: null, in: null } };

/** The characters on both sides of each boundary of the control ranges, and one of two UTF-16 units. */
const characters = [
  0x01, 0x1f, 0x20, 0x2d, 0x5b, 0x5d, 0x5e, 0x7e, 0x7f, 0x9f, 0xa0, 0x061b, 0x061c, 0x061d, 0x200d, 0x200e,
]
  .concat([0x200f, 0x2010, 0x2027, 0x2028, 0x2029, 0x202a, 0x202e, 0x202f, 0x2065, 0x2066, 0x2069, 0x206a, 0x1f408])
  .map((code) => String.fromCodePoint(code));

/** A row before the migration and after it; null if it stays unchanged. */
const rows: readonly (readonly [before: Partial<Collection>, after: Partial<Collection> | null])[] = [
  [{ ...at('https://a.example'), ...named('X-Key') }, null],
  [none, null],
  [at('x'.repeat(2_048)), null],
  [at('x'.repeat(2_049)), root],
  [at('🐈'.repeat(2_048)), null],
  [at('🐈'.repeat(2_049)), root],
  [at('x'.repeat(1_000_000)), root],
  [named('k'.repeat(200)), null],
  [named('k'.repeat(201)), none],
  [named('🔑'.repeat(200)), null],
  [named('🔑'.repeat(201)), none],
  [
    { ...at('x'.repeat(2_049)), ...named('k'.repeat(201)) },
    { ...root, ...none },
  ],
  ...characters.flatMap((character) => [
    [at(`a${character}b`), isPlainLine(character) ? null : root] as const,
    [named(`a${character}b`), isPlainLine(character) ? null : none] as const,
  ]),
];

describeDialects(({ withPlace }) => {
  test('document facts stored before the limits are brought within them', () =>
    withPlace(async (open, run) => {
      const profile = aProfile();
      const collections = rows.map(([facts]) => aCollection({ ...facts, revision: 7 }));
      const before = await open();
      await before.stores.profiles.add(profile, noEffects);
      for (const collection of collections) await before.stores.collections.add(collection, aContent(), noEffects);
      const epochOf = async ({ stores }: typeof before) =>
        (await stores.callers.byUid(profile.uid, null, start))?.epochs.catalog;
      const epoch = (await epochOf(before)) ?? Infinity;
      await before.close();

      await run("delete from schema_migrations where name = '0004-bounded-document-facts'");
      const after = await open();
      for (const [index, [, change]] of rows.entries()) {
        const collection = collections[index] ?? aCollection();
        const expected = change ? { ...collection, ...change, revision: 8 } : collection;
        expect(await after.stores.collections.find(collection.id)).toEqual(expected);
      }
      const grown = await epochOf(after);
      expect(grown).toBeGreaterThan(epoch);
      await after.close();

      await run("delete from schema_migrations where name = '0004-bounded-document-facts'");
      const again = await open();
      expect(await epochOf(again)).toBe(grown);
      await again.close();
    }));
});
