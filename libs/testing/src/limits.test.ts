import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const defaultLimit = { allowed: 3, windowSeconds: 60 };
const gold = { tier: 'gold', description: null, allowed: 5, windowSeconds: 60, isActive: true };

const setUp = async () => {
  const harness = createHarness({ defaultLimit });
  const fixtures = await createFixtures(harness);
  const ada = await fixtures.approved('ada');
  const limitOf = async () => {
    const { source, rule, usage } = await harness.useCases.readEffectiveLimit(
      await fixtures.byToken('root'),
      ada.clientId,
    );
    return [source, rule.allowed, usage.remaining];
  };
  return { ...harness, ...fixtures, ada, limitOf, call: () => fixtures.byKey(ada.key, null) };
};

test('a client without tier or override has the default limit, and each call counts', async () => {
  const { call, limitOf, clock } = await setUp();
  expect(await limitOf()).toEqual(['default', 3, 3]);
  for (let calls = 1; calls <= 3; calls += 1) await call();
  await expect(call()).rejects.toThrow('Rate limit exceeded');
  expect(await limitOf()).toEqual(['default', 3, 0]);
  clock.advance(60_000);
  await call();
});

test('an active override takes precedence over an active tier, and either over the default', async () => {
  const { useCases, authority, ada, limitOf } = await setUp();
  await useCases.createTier(authority, gold);
  await useCases.assignTier(authority, ada.id, 'gold');
  expect(await limitOf()).toEqual(['tier', 5, 5]);
  const { id } = await useCases.createOverride(authority, ada.clientId, {
    allowed: 9,
    windowSeconds: 60,
    isActive: true,
  });
  expect(await limitOf()).toEqual(['override', 9, 9]);
  await useCases.updateOverride(authority, id, { isActive: false });
  expect(await limitOf()).toEqual(['tier', 5, 5]);
  await useCases.updateTier(authority, 'gold', { isActive: false });
  expect(await limitOf()).toEqual(['default', 3, 3]);
});

test('only the last activated override of a client is active', async () => {
  const { useCases, authority, ada } = await setUp();
  const rule = { allowed: 9, windowSeconds: 60, isActive: true };
  const first = await useCases.createOverride(authority, ada.clientId, rule);
  const second = await useCases.createOverride(authority, ada.id, rule);
  const active = async () => (await useCases.listOverrides(authority, true)).map(({ id }) => id);
  expect(await active()).toEqual([second.id]);
  await useCases.updateOverride(authority, first.id, { isActive: true });
  expect(await active()).toEqual([first.id]);
});

test('a deleted tier is removed from its clients', async () => {
  const { useCases, authority, ada, limitOf, byToken } = await setUp();
  await useCases.createTier(authority, gold);
  await expect(useCases.createTier(authority, gold)).rejects.toThrow('Tier already exists');
  await expect(useCases.assignTier(authority, ada.id, 'silver')).rejects.toThrow('Tier not found');
  await useCases.assignTier(authority, ada.id, 'gold');
  await useCases.removeTier(authority, 'gold');
  expect((await byToken('ada')).profile.tier).toBeNull();
  expect((await limitOf())[0]).toBe('default');
});

test('clients are counted separately', async () => {
  const { approved, byKey, call } = await setUp();
  const bob = await approved('bob');
  for (let calls = 1; calls <= 3; calls += 1) await call();
  expect((await byKey(bob.key, null)).profile.uid).toBe('bob');
});

test('only an approved client can have an override', async () => {
  const { useCases, authority, admin, register, approved } = await setUp();
  const rule = { allowed: 9, windowSeconds: 60, isActive: true };
  const promoted = await approved('eve');
  await useCases.changeRole(authority, promoted.id, 'admin');
  for (const id of [null, admin.id, promoted.clientId, (await register('bob')).id]) {
    await expect(useCases.createOverride(authority, id, rule)).rejects.toThrow('Client not found');
  }
});

test('a client can read only its own limit, and reading does not count', async () => {
  const { useCases, ada, approved, call } = await setUp();
  const own = await call();
  const bob = await approved('bob');
  for (let reads = 1; reads <= 5; reads += 1)
    expect((await useCases.readEffectiveLimit(own, ada.clientId)).usage.remaining).toBe(2);
  await expect(useCases.readEffectiveLimit(own, bob.clientId)).rejects.toThrow('Admin access required');
});

test('an admin is not limited', async () => {
  const { byToken } = await setUp();
  for (let calls = 1; calls <= 5; calls += 1) expect((await byToken('root')).profile.role).toBe('admin');
});
