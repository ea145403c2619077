import type { ProfileReference, ProfileStore } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

const byId = ({ id }: { readonly id: string }) => ({ by: 'id', id }) as ProfileReference;

/** Creates a harness whose database fails at these changes to profiles, counted from 1. */
const setUp = async (failing: readonly number[] = []) => {
  const plain = createHarness();
  let approvals = 0;
  const update: ProfileStore['update'] = (id, decide) =>
    plain.ports.profiles.update(id, (state) => {
      const change = decide(state);
      if (state.profile.status !== 'pending') return change;
      approvals += 1;
      if (failing.includes(approvals)) throw new Error('The database is down');
      return change;
    });
  const harness = createHarness({}, { ...plain.ports, profiles: { ...plain.ports.profiles, update } });
  return { ...harness, mailer: plain.mailer, ...(await createFixtures(harness)) };
};

test('each approved profile gets credentials that work, and its own mail', async () => {
  const { useCases, authority, register, byKey, runJobs, mailer } = await setUp();
  const people = [
    await register('ada'),
    await register('bob'),
    await register('cleo'),
    await register('dan'),
    await register('eve'),
  ];
  const outcomes = await useCases.approveMany(authority, people.map(byId));
  expect(outcomes.map(({ result }) => result)).toEqual(Array(5).fill('approved'));
  for (const [at, { credentials }] of outcomes.entries()) {
    if (!credentials) throw new Error('There are no credentials.');
    expect((await byKey({ kind: 'key', ...credentials }, null)).profile.id).toBe(people[at]?.id);
  }
  await runJobs();
  for (const { name, credentials } of outcomes) {
    const own = mailer.sent.filter(({ to }) => to === name);
    expect(own.map(({ text }) => text.includes(credentials?.secret ?? '?'))).toEqual([true]);
  }
});

test('a failure after an approval is an outcome, because the credentials issued before must be returned', async () => {
  const { useCases, authority, register, ports } = await setUp([2]);
  const [ada, bob, cleo] = [await register('ada'), await register('bob'), await register('cleo')];
  const outcomes = await useCases.approveMany(authority, [ada, bob, cleo].map(byId));
  expect(outcomes.map(({ result, credentials }) => [result, credentials !== null])).toEqual([
    ['approved', true],
    ['failed', false],
    ['approved', true],
  ]);
  expect((await ports.profiles.find(bob.id))?.status).toBe('pending');
  const outcomesAgain = await useCases.approveMany(authority, [ada, bob].map(byId));
  expect(outcomesAgain.map(({ result }) => result)).toEqual(['already_approved', 'approved']);
});

test('a failure before any approval is an error, and nothing has changed', async () => {
  const { useCases, authority, register, ports } = await setUp([1]);
  const [ada, bob] = [await register('ada'), await register('bob')];
  await expect(useCases.approveMany(authority, [ada, bob].map(byId))).rejects.toThrow('The database is down');
  for (const { id } of [ada, bob]) expect((await ports.profiles.find(id))?.status).toBe('pending');
});
