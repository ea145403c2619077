import type { ProfileReference, ProfileStore } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const referenceTo = ({ id }: { readonly id: string }) => ({ by: 'id', id }) as ProfileReference;

/** Creates a harness whose database fails at these changes to profiles, counted from 1. */
const setUp = async (failingApprovals: readonly number[] = []) => {
  const baseHarness = createHarness();
  let approvals = 0;
  const update: ProfileStore['update'] = (id, decide) =>
    baseHarness.ports.profiles.update(id, (state) => {
      const change = decide(state);
      if (state.profile.status !== 'pending') return change;
      approvals += 1;
      if (failingApprovals.includes(approvals)) throw new Error('The database is down');
      return change;
    });
  const harness = createHarness({}, { ...baseHarness.ports, profiles: { ...baseHarness.ports.profiles, update } });
  return { ...harness, mailer: baseHarness.mailer, ...(await createFixtures(harness)) };
};

test('each approved profile gets working credentials and its own mail', async () => {
  const { useCases, authority, register, admitByKey, runJobs, mailer } = await setUp();
  const profiles = [
    await register('ada'),
    await register('bob'),
    await register('cleo'),
    await register('dan'),
    await register('eve'),
  ];
  const outcomes = await useCases.approveMany(authority, profiles.map(referenceTo));
  expect(outcomes.map(({ result }) => result)).toEqual(Array(5).fill('approved'));
  for (const [index, { credentials }] of outcomes.entries()) {
    if (!credentials) throw new Error('There are no credentials.');
    expect((await admitByKey({ kind: 'key', ...credentials }, null)).profile.id).toBe(profiles[index]?.id);
  }
  await runJobs();
  for (const { name, credentials } of outcomes) {
    const ownMails = mailer.sentMails.filter(({ to }) => to === name);
    expect(ownMails.map(({ text }) => text.includes(credentials?.secret ?? '?'))).toEqual([true]);
  }
});

test('a failure after an approval is returned as an outcome, because the credentials issued before must be returned', async () => {
  const { useCases, authority, register, ports } = await setUp([2]);
  const [ada, bob, cleo] = [await register('ada'), await register('bob'), await register('cleo')];
  const outcomes = await useCases.approveMany(authority, [ada, bob, cleo].map(referenceTo));
  expect(outcomes.map(({ result, credentials }) => [result, credentials !== null])).toEqual([
    ['approved', true],
    ['failed', false],
    ['approved', true],
  ]);
  expect((await ports.profiles.find(bob.id))?.status).toBe('pending');
  const outcomesAgain = await useCases.approveMany(authority, [ada, bob].map(referenceTo));
  expect(outcomesAgain.map(({ result }) => result)).toEqual(['already_approved', 'approved']);
});

test('a failure before any approval throws an error, and changes nothing', async () => {
  const { useCases, authority, register, ports } = await setUp([1]);
  const [ada, bob] = [await register('ada'), await register('bob')];
  await expect(useCases.approveMany(authority, [ada, bob].map(referenceTo))).rejects.toThrow('The database is down');
  for (const { id } of [ada, bob]) expect((await ports.profiles.find(id))?.status).toBe('pending');
});
