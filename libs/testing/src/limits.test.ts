import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const defaultLimit = { allowed: 3, windowSeconds: 60 };
const goldTier = { tier: 'gold', description: null, allowed: 5, windowSeconds: 60, isActive: true };

const setUp = async () => {
  const harness = createHarness({ defaultLimit });
  const fixtures = await createFixtures(harness);
  const ada = await fixtures.approveClient('ada');
  const limitOf = async () => {
    const { source, rule, usage } = await harness.useCases.readEffectiveLimit(
      await fixtures.admitByToken('root'),
      ada.clientId,
    );
    return [source, rule.allowed, usage.remaining];
  };
  return { ...harness, ...fixtures, ada, limitOf, call: () => fixtures.admitByKey(ada.key, null) };
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
  await useCases.createTier(authority, goldTier);
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
  const firstOverride = await useCases.createOverride(authority, ada.clientId, rule);
  const secondOverride = await useCases.createOverride(authority, ada.id, rule);
  const readActive = async () => (await useCases.listOverrides(authority, true)).map(({ id }) => id);
  expect(await readActive()).toEqual([secondOverride.id]);
  await useCases.updateOverride(authority, firstOverride.id, { isActive: true });
  expect(await readActive()).toEqual([firstOverride.id]);
});

test('a deleted tier is removed from its clients', async () => {
  const { useCases, authority, ada, limitOf, admitByToken } = await setUp();
  await useCases.createTier(authority, goldTier);
  await expect(useCases.createTier(authority, goldTier)).rejects.toThrow('Tier already exists');
  await expect(useCases.assignTier(authority, ada.id, 'silver')).rejects.toThrow('Tier not found');
  await useCases.assignTier(authority, ada.id, 'gold');
  await useCases.removeTier(authority, 'gold');
  expect((await admitByToken('ada')).profile.tier).toBeNull();
  expect((await limitOf())[0]).toBe('default');
});

test('clients are counted separately', async () => {
  const { approveClient, admitByKey, call } = await setUp();
  const bob = await approveClient('bob');
  for (let calls = 1; calls <= 3; calls += 1) await call();
  expect((await admitByKey(bob.key, null)).profile.uid).toBe('bob');
});

test('only an approved client can have an override', async () => {
  const { useCases, authority, admin, register, approveClient } = await setUp();
  const rule = { allowed: 9, windowSeconds: 60, isActive: true };
  const promotedClient = await approveClient('eve');
  await useCases.changeRole(authority, promotedClient.id, 'admin');
  for (const id of [null, admin.id, promotedClient.clientId, (await register('bob')).id]) {
    await expect(useCases.createOverride(authority, id, rule)).rejects.toThrow('Client not found');
  }
});

test('a client can read only its own limit, and reading does not count', async () => {
  const { useCases, ada, approveClient, call } = await setUp();
  const principal = await call();
  const bob = await approveClient('bob');
  for (let reads = 1; reads <= 5; reads += 1)
    expect((await useCases.readEffectiveLimit(principal, ada.clientId)).usage.remaining).toBe(2);
  await expect(useCases.readEffectiveLimit(principal, bob.clientId)).rejects.toThrow('Admin access required');
});

test('an admin is not limited', async () => {
  const { admitByToken } = await setUp();
  for (let calls = 1; calls <= 5; calls += 1) expect((await admitByToken('root')).profile.role).toBe('admin');
});
