import { expect, test } from 'vitest';
import { GrantEntity } from './entities/access-entities.ts';
import { TierEntity } from './entities/limit-entities.ts';
import { SettingEntity } from './entities/installation-entities.ts';
import { buildColumns, columnsOf, insertInto, updateOf, upsertInto, omitNames } from './table.ts';

const tier = {
  tier: 'gold',
  allowed: 5,
  windowSeconds: 60,
  description: null,
  isActive: true,
  createdAt: 1,
  updatedAt: 2,
};

test('an insert has a parameter for each column, in the order of its text', () => {
  const { text, toParameters } = insertInto(TierEntity, ['windowSeconds', 'tier']);
  expect(text).toBe('insert into tiers (window_seconds, tier) values (?, ?)');
  expect(toParameters(tier)).toEqual([60, 'gold']);
});

test('an update lists the written columns first and the key last', () => {
  const { text, toParameters } = updateOf(TierEntity, 'tier', ['isActive', 'description']);
  expect(text).toBe('update tiers set is_active = ?, description = ? where tier = ?');
  expect(toParameters(tier)).toEqual([true, null, 'gold']);
});

test('an upsert replaces the row with the same key', () => {
  expect(upsertInto(SettingEntity, 'name').text).toBe(
    'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
  );
});

test('columns include references and are selected under their entity names', () => {
  expect(columnsOf(GrantEntity)).toEqual(['profileId', 'collectionId', 'grantedAt', 'expiresAt', 'rule']);
  expect(buildColumns('g', omitNames(columnsOf(GrantEntity), 'grantedAt', 'expiresAt', 'rule'), 'target_')).toBe(
    'g.profile_id as "target_profileId", g.collection_id as "target_collectionId"',
  );
});
