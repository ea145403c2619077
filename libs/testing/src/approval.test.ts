import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const setUp = async () => {
  const harness = createHarness();
  return { ...harness, ...(await createFixtures(harness)) };
};

test('approving a profile issues working credentials and emails them', async () => {
  const { useCases, authority, register, admitByKey, runJobs, mailer } = await setUp();
  const { id } = await register('ada');
  const { clientId, secret } = await useCases.approveProfile(authority, id);
  const { profile } = await admitByKey({ kind: 'key', clientId, secret }, null);
  expect(profile).toMatchObject({ id, role: 'client', status: 'approved', clientId });
  await runJobs();
  const mail = mailer.sentMails.find(({ to }) => to === 'ada@example.com');
  expect(mail?.text).toContain(`client_secret: ${secret}`);
});

test('only one of several concurrent approvals succeeds, and its credentials work', async () => {
  const { useCases, authority, register, admitByKey } = await setUp();
  const { id } = await register('ada');
  const attempts = await Promise.allSettled([1, 2, 3].map(() => useCases.approveProfile(authority, id)));
  const [credentials, ...otherCredentials] = attempts.flatMap((attempt) =>
    attempt.status === 'fulfilled' ? [attempt.value] : [],
  );
  expect(otherCredentials).toEqual([]);
  expect((await admitByKey({ kind: 'key', clientId: '', secret: '', ...credentials }, null)).profile.id).toBe(id);
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

test('rejecting a profile emails the reason, and leaves the profile without credentials', async () => {
  const { useCases, authority, register, admitByToken, runJobs, mailer } = await setUp();
  const { id } = await register('ada');
  await useCases.rejectProfile(authority, id, 'Nobody knows you');
  await runJobs();
  expect(mailer.sentMails.find(({ to }) => to === 'ada@example.com')?.text).toContain('Reason: Nobody knows you');
  expect((await admitByToken('ada')).profile).toMatchObject({ status: 'rejected', clientId: null, approvedAt: null });
});

test('a reopened registration can be approved', async () => {
  const { useCases, authority, register, admitByKey } = await setUp();
  const { id } = await register('ada');
  await useCases.rejectProfile(authority, id, null);
  expect(await useCases.reopenRegistration(authority, id)).toMatchObject({ status: 'pending', approvedAt: null });
  const credentials = await useCases.approveProfile(authority, id);
  expect((await admitByKey({ kind: 'key', ...credentials }, null)).profile.id).toBe(id);
});

test('a rotated secret replaces the previous one, which remains valid during the grace period', async () => {
  const { useCases, authority, approveClient, admitByKey, clock } = await setUp();
  const { id, clientId, key } = await approveClient('ada');
  const { secret } = await useCases.rotateCredentials(authority, id, 60);
  const newKey = { kind: 'key', clientId, secret } as const;
  clock.advance(59_999);
  expect((await admitByKey(key, null)).profile.id).toBe(id);
  expect((await admitByKey(newKey, null)).profile.id).toBe(id);
  clock.advance(1);
  await expect(admitByKey(key, null)).rejects.toThrow('Invalid API credentials');
  expect((await admitByKey(newKey, null)).profile.id).toBe(id);
});

test('only the credentials of an approved client can be rotated', async () => {
  const { useCases, authority, admin, register } = await setUp();
  const { id } = await register('ada');
  await expect(useCases.rotateCredentials(authority, id, 0)).rejects.toThrow('User not approved');
  await expect(useCases.rotateCredentials(authority, admin.id, 0)).rejects.toThrow('has no API credentials');
});
