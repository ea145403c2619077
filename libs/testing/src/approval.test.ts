import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const setUp = async () => {
  const harness = createHarness();
  return { ...harness, ...(await createFixtures(harness)) };
};

test('an approval issues credentials that work, and mails them', async () => {
  const { useCases, authority, register, byKey, runJobs, mailer } = await setUp();
  const { id } = await register('ada');
  const { clientId, secret } = await useCases.approveProfile(authority, id);
  const { profile } = await byKey({ kind: 'key', clientId, secret }, null);
  expect(profile).toMatchObject({ id, role: 'client', status: 'approved', clientId });
  await runJobs();
  const mail = mailer.sent.find(({ to }) => to === 'ada@example.com');
  expect(mail?.text).toContain(`client_secret: ${secret}`);
});

test('one of several concurrent approvals succeeds, and its credentials work', async () => {
  const { useCases, authority, register, byKey } = await setUp();
  const { id } = await register('ada');
  const attempts = await Promise.allSettled([1, 2, 3].map(() => useCases.approveProfile(authority, id)));
  const [winner, ...others] = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  expect(others).toEqual([]);
  expect((await byKey({ kind: 'key', clientId: '', secret: '', ...winner }, null)).profile.id).toBe(id);
});

test('a decided registration cannot be decided again', async () => {
  const { useCases, authority, register } = await setUp();
  const [ada, bob] = [await register('ada'), await register('bob')];
  await useCases.approveProfile(authority, ada.id);
  await useCases.rejectProfile(authority, bob.id, 'unknown');
  await expect(useCases.approveProfile(authority, ada.id)).rejects.toThrow('User already approved');
  await expect(useCases.rejectProfile(authority, ada.id, null)).rejects.toThrow('User already approved');
  await expect(useCases.approveProfile(authority, bob.id)).rejects.toThrow('User already rejected');
  await expect(useCases.rejectProfile(authority, bob.id, null)).rejects.toThrow('User already rejected');
});

test('a rejection mails its reason and leaves a profile without credentials', async () => {
  const { useCases, authority, register, byToken, runJobs, mailer } = await setUp();
  const { id } = await register('ada');
  await useCases.rejectProfile(authority, id, 'Nobody knows you');
  await runJobs();
  expect(mailer.sent.find(({ to }) => to === 'ada@example.com')?.text).toContain('Reason: Nobody knows you');
  expect((await byToken('ada')).profile).toMatchObject({ status: 'rejected', clientId: null, approvedAt: null });
});

test('a reopened registration can be approved', async () => {
  const { useCases, authority, register, byKey } = await setUp();
  const { id } = await register('ada');
  await useCases.rejectProfile(authority, id, null);
  expect(await useCases.reopenRegistration(authority, id)).toMatchObject({ status: 'pending', approvedAt: null });
  const issued = await useCases.approveProfile(authority, id);
  expect((await byKey({ kind: 'key', ...issued }, null)).profile.id).toBe(id);
});

test('a rotated secret replaces the previous one, which stays valid for the grace period', async () => {
  const { useCases, authority, approved, byKey, clock } = await setUp();
  const { id, clientId, key } = await approved('ada');
  const { secret } = await useCases.rotateCredentials(authority, id, 60);
  const fresh = { kind: 'key', clientId, secret } as const;
  clock.advance(59_999);
  expect((await byKey(key, null)).profile.id).toBe(id);
  expect((await byKey(fresh, null)).profile.id).toBe(id);
  clock.advance(1);
  await expect(byKey(key, null)).rejects.toThrow('Invalid API credentials');
  expect((await byKey(fresh, null)).profile.id).toBe(id);
});

test('only an approved client has credentials to rotate', async () => {
  const { useCases, authority, admin, register } = await setUp();
  const { id } = await register('ada');
  await expect(useCases.rotateCredentials(authority, id, 0)).rejects.toThrow('User not approved');
  await expect(useCases.rotateCredentials(authority, admin.id, 0)).rejects.toThrow('has no API credentials');
});
