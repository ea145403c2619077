import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const setUp = async () => {
  const harness = createHarness();
  return { ...harness, ...(await createFixtures(harness)) };
};

test('a promotion approves a pending profile, and a key is inactive while its profile is an admin', async () => {
  const { useCases, authority, register, approved, byKey, byToken } = await setUp();
  const { id } = await register('ada');
  const { profile } = await useCases.changeRole(authority, id, 'admin');
  expect(profile).toMatchObject({ role: 'admin', status: 'approved', clientId: null });
  const bob = await approved('bob');
  await byToken('bob');
  await useCases.changeRole(authority, bob.id, 'admin');
  await expect(byKey(bob.key, null)).rejects.toThrow('Invalid API credentials');
  await useCases.changeRole(authority, bob.id, 'client');
  expect((await byKey(bob.key, null)).profile.id).toBe(bob.id);
});

test('a rejected profile cannot be promoted', async () => {
  const { useCases, authority, register } = await setUp();
  const { id } = await register('ada');
  await useCases.rejectProfile(authority, id, null);
  await expect(useCases.changeRole(authority, id, 'admin')).rejects.toThrow('User already rejected');
});

test('an admin who never was a client gets credentials by a rotation after demotion', async () => {
  const { useCases, authority, register, byKey } = await setUp();
  const { id } = await register('ada');
  await useCases.changeRole(authority, id, 'admin');
  expect((await useCases.changeRole(authority, id, 'client')).profile).toMatchObject({
    role: 'client',
    clientId: null,
  });
  const credentials = await useCases.rotateCredentials(authority, id, 0);
  expect((await byKey({ kind: 'key', ...credentials }, null)).profile.id).toBe(id);
});

test('setting the same role writes nothing', async () => {
  const { useCases, authority, approved, ports } = await setUp();
  const { id } = await approved('ada');
  const before = await ports.audit.page({ source: 'system' }, 0, 1);
  await useCases.changeRole(authority, id, 'client');
  expect((await ports.audit.page({ source: 'system' }, 0, 1)).total).toBe(before.total);
});

test('authority is read on each request: it ends with the role', async () => {
  const { useCases, authority, tokens, approved, byToken } = await setUp();
  const { id } = await approved('ada');
  const token = tokens.mint({ uid: 'ada', email: 'ada@example.com' });
  const asAdmin = () =>
    useCases.admit({
      credential: { kind: 'token', token },
      auth: 'admin',
      target: null,
      sender: { address: '192.0.2.1' },
      deadline: null,
    });
  await byToken('ada');
  await expect(asAdmin()).rejects.toThrow('Admin access required');
  await useCases.changeRole(authority, id, 'admin');
  expect((await asAdmin()).principal.profile.id).toBe(id);
  await useCases.changeRole(authority, id, 'client');
  await expect(asAdmin()).rejects.toThrow('Admin access required');
});
