import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const setUp = async () => {
  const harness = createHarness();
  return { ...harness, ...(await createFixtures(harness)) };
};

test('promoting a pending profile approves it, and a key is inactive while its profile is an admin', async () => {
  const { useCases, authority, register, approveClient, admitByKey, admitByToken } = await setUp();
  const { id } = await register('ada');
  const { profile } = await useCases.changeRole(authority, id, 'admin');
  expect(profile).toMatchObject({ role: 'admin', status: 'approved', clientId: null });
  const bob = await approveClient('bob');
  await admitByToken('bob');
  await useCases.changeRole(authority, bob.id, 'admin');
  await expect(admitByKey(bob.key, null)).rejects.toThrow('Invalid API credentials');
  await useCases.changeRole(authority, bob.id, 'client');
  expect((await admitByKey(bob.key, null)).profile.id).toBe(bob.id);
});

test('a rejected profile cannot be promoted', async () => {
  const { useCases, authority, register } = await setUp();
  const { id } = await register('ada');
  await useCases.rejectProfile(authority, id, null);
  await expect(useCases.changeRole(authority, id, 'admin')).rejects.toThrow('User already rejected');
});

test('an admin who was never a client gets credentials by rotating them after a demotion', async () => {
  const { useCases, authority, register, admitByKey } = await setUp();
  const { id } = await register('ada');
  await useCases.changeRole(authority, id, 'admin');
  expect((await useCases.changeRole(authority, id, 'client')).profile).toMatchObject({
    role: 'client',
    clientId: null,
  });
  const credentials = await useCases.rotateCredentials(authority, id, 0);
  expect((await admitByKey({ kind: 'key', ...credentials }, null)).profile.id).toBe(id);
});

test('setting the same role writes nothing', async () => {
  const { useCases, authority, approveClient, ports } = await setUp();
  const { id } = await approveClient('ada');
  const auditBefore = await ports.audit.readPage({ source: 'system' }, 0, 1);
  await useCases.changeRole(authority, id, 'client');
  expect((await ports.audit.readPage({ source: 'system' }, 0, 1)).total).toBe(auditBefore.total);
});

test('authority is checked on each request, and is lost with the role', async () => {
  const { useCases, authority, tokens, approveClient, admitByToken } = await setUp();
  const { id } = await approveClient('ada');
  const token = tokens.mint({ uid: 'ada', email: 'ada@example.com' });
  const admitAsAdmin = () =>
    useCases.admit({
      credential: { kind: 'token', token },
      auth: 'admin',
      target: null,
      sender: { address: '192.0.2.1' },
      deadline: null,
    });
  await admitByToken('ada');
  await expect(admitAsAdmin()).rejects.toThrow('Admin access required');
  await useCases.changeRole(authority, id, 'admin');
  expect((await admitAsAdmin()).principal.profile.id).toBe(id);
  await useCases.changeRole(authority, id, 'client');
  await expect(admitAsAdmin()).rejects.toThrow('Admin access required');
});
