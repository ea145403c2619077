import type { AccessRequest, GrantChange, GrantState, Ports } from '@portico/domain';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness } from './harness.ts';

/** Creates a harness where these requests are pending for every pair. `changes` records the decisions. */
const setUp = async (requests: readonly AccessRequest[] = []) => {
  const baseHarness = createHarness();
  const changes: GrantChange[] = [];
  const grants: Ports['grants'] = {
    ...baseHarness.ports.grants,
    update: (pairs, decide) =>
      baseHarness.ports.grants.update(pairs, (states: readonly GrantState[]) => {
        const change = decide(states.map((state) => ({ ...state, requests })));
        changes.push(change);
        return { ...change, requests: [] };
      }),
  };
  const harness = createHarness({}, { ...baseHarness.ports, grants });
  return { ...harness, clock: baseHarness.clock, changes, ...(await createFixtures(harness)) };
};

const request = {
  id: '33333333-3333-4333-8333-333333333333',
  profileId: '44444444-4444-4444-8444-444444444444',
  collectionId: '55555555-5555-4555-8555-555555555555',
  reason: 'For the forecast',
  durationDays: null,
  status: 'pending',
  createdAt: 0,
  decidedAt: null,
  answer: null,
} as unknown as AccessRequest;

test('a request that several pairs close is closed only once, as granted', async () => {
  const { useCases, authority, approveClient, createCollection, clock, changes } = await setUp([request]);
  const [ada, bob, id] = [await approveClient('ada'), await approveClient('bob'), await createCollection('weather')];
  const profiles = [ada, bob].map((client) => ({ by: 'id', id: client.id }) as const);
  const outcomes = await useCases.grantMany(authority, { profiles, groups: [], collections: [{ by: 'id', id }] });
  expect(outcomes.map(({ result }) => result)).toEqual(['granted', 'granted']);
  expect(changes.map(({ requests }) => requests)).toEqual([
    [{ ...request, status: 'granted', decidedAt: clock.now() }],
  ]);
});

test('granting access that a client already has closes no request and writes nothing', async () => {
  const { useCases, authority, approveClient, createCollection, changes } = await setUp([request]);
  const [{ id }, weather] = [await approveClient('ada'), await createCollection('weather')];
  const selection = { profiles: [{ by: 'id', id }], groups: [], collections: [{ by: 'id', id: weather }] } as const;
  await useCases.grantMany(authority, selection);
  await useCases.grantMany(authority, selection);
  expect(changes[1]).toEqual({ put: [], remove: [], requests: [], jobs: [], entries: [], deadline: null });
});

test('an expired grant can be granted again, but not revoked', async () => {
  const { useCases, authority, approveClient, createCollection, clock } = await setUp();
  const [{ id }, weather] = [await approveClient('ada'), await createCollection('weather')];
  const selection = { profiles: [{ by: 'id', id }], groups: [], collections: [{ by: 'id', id: weather }] } as const;
  const listResults = async (outcomes: ReturnType<typeof useCases.grantMany>) =>
    (await outcomes).map(({ result }) => result);
  await useCases.grantMany(authority, selection, clock.now() + 10);
  clock.advance(9);
  expect(await listResults(useCases.grantMany(authority, selection))).toEqual(['already']);
  clock.advance(1);
  expect(await listResults(useCases.revokeMany(authority, selection))).toEqual(['not_granted']);
  expect(await listResults(useCases.grantMany(authority, selection))).toEqual(['granted']);
  await expect(useCases.grantMany(authority, selection, clock.now())).rejects.toThrow('must be in the future');
});
