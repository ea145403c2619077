import {
  toClientPair,
  toGroupPair,
  type AccessRequest,
  type CollectionId,
  type GroupId,
  type ProfileId,
  type RequestId,
} from '@portico/domain';
import { createMemoryDatabase, createMemoryStores } from '@portico/memory';
import { expect, test } from 'vitest';
import { createFixtures } from './fixtures.ts';
import { createHarness, type Harness } from './harness.ts';

const unknownId = '00000000-0000-4000-8000-00000000dead';

const setUp = async () => {
  const harness = createHarness();
  const fixtures = await createFixtures(harness);
  const { useCases } = harness;
  const createGroup = (name: string, tier: string | null = null) =>
    useCases.createGroup(fixtures.authority, { name, description: '', tier });
  const roads = await fixtures.createCollection('Roads');
  const crew = await createGroup('Crew');
  await useCases.grantAccess(fixtures.authority, toGroupPair(crew.id, roads));
  return { ...harness, ...fixtures, createGroup, roads, crew, ada: await fixtures.approveClient('ada') };
};

type Setup = Awaited<ReturnType<typeof setUp>>;

/** Returns the collections that a caller can list, and checks that reading is allowed for the same collections. */
const listVisibleNames = async ({ useCases, admitByKey, roads }: Setup, key: Parameters<Setup['admitByKey']>[0]) => {
  const names = (await useCases.listCollections(await admitByKey(key, null), null)).map(({ name }) => name);
  const target = await admitByKey(key, roads);
  expect(target.hasGrant).toBe(names.includes('Roads'));
  return names;
};

const tokenOf = ({ tokens }: Harness, groups: readonly string[] | null, ttlSeconds?: number) =>
  ({
    kind: 'token',
    token: tokens.mint({ uid: 'ada', email: 'ada@example.com', ...(groups ? { groups } : {}) }, ttlSeconds),
  }) as const;

/** Returns the audit entries about groups, oldest first. */
const listGroupEntries = async ({ ports }: Harness) =>
  (await ports.audit.readPage({ source: 'system' }, 0, 100)).entries
    .toReversed()
    .map(({ message }) => JSON.parse(message) as Record<string, unknown>)
    .filter(({ action }) => String(action).startsWith('group.'));

test('a member has the access of its group until it leaves', async () => {
  const setup = await setUp();
  const { useCases, authority, crew, ada } = setup;
  expect(await listVisibleNames(setup, ada.key)).toEqual([]);
  await useCases.addMember(authority, crew.id, ada.id);
  expect(await listVisibleNames(setup, ada.key)).toEqual(['Roads']);
  expect(await useCases.removeMember(authority, crew.id, ada.id)).toEqual({ remainsByClaim: false });
  expect(await listVisibleNames(setup, ada.key)).toEqual([]);
});

test.each<[string, (setup: Setup) => Promise<unknown>]>([
  ['the group is deleted', ({ useCases, authority, crew }) => useCases.removeGroup(authority, crew.id)],
  [
    'the grant of the group is revoked',
    ({ useCases, authority, crew, roads }) => useCases.revokeAccess(authority, toGroupPair(crew.id, roads)),
  ],
  [
    'the grant of the group expires',
    async ({ useCases, authority, clock, crew, roads }) => {
      await useCases.changeGrant(authority, toGroupPair(crew.id, roads), { expiresAt: clock.now() + 1_000 });
      clock.advance(1_000);
    },
  ],
])('members lose the access that only the group gave them when %s', async (_event, endMembership) => {
  const setup = await setUp();
  await setup.useCases.addMember(setup.authority, setup.crew.id, setup.ada.id);
  expect(await listVisibleNames(setup, setup.ada.key)).toEqual(['Roads']);
  await endMembership(setup);
  expect(await listVisibleNames(setup, setup.ada.key)).toEqual([]);
});

test("a member's own grant remains when the membership is removed", async () => {
  const setup = await setUp();
  const { useCases, authority, crew, ada, roads } = setup;
  await useCases.addMember(authority, crew.id, ada.id);
  await useCases.grantAccess(authority, toClientPair(ada.id, roads));
  await useCases.removeMember(authority, crew.id, ada.id);
  expect(await listVisibleNames(setup, ada.key)).toEqual(['Roads']);
});

test('the rules for members are checked in order', async () => {
  const setup = await setUp();
  const { useCases, authority, crew, ada, admitByKey } = setup;
  const unknownProfileId = unknownId as ProfileId;
  await expect(useCases.addMember(authority, unknownId as GroupId, unknownProfileId)).rejects.toThrow(
    'Group not found',
  );
  await expect(useCases.addMember(authority, crew.id, unknownProfileId)).rejects.toThrow('User not found');
  await expect(useCases.removeMember(authority, crew.id, unknownProfileId)).rejects.toThrow('User not found');
  await expect(useCases.removeMember(authority, crew.id, ada.id)).rejects.toThrow('User not in the group');
  await admitByKey(tokenOf(setup, ['Crew']), null);
  await expect(useCases.removeMember(authority, crew.id, ada.id)).rejects.toThrow("The identity provider's claim");
  await useCases.addMember(authority, crew.id, ada.id);
  await expect(useCases.addMember(authority, crew.id, ada.id)).rejects.toThrow('User already in the group');
  expect(await useCases.removeMember(authority, crew.id, ada.id)).toEqual({ remainsByClaim: true });
});

test('many members can be added in one call, which returns an outcome for each', async () => {
  const setup = await setUp();
  const { useCases, authority, crew, ada, approveClient } = setup;
  const bob = await approveClient('bob');
  await useCases.addMember(authority, crew.id, ada.id);
  const references = [ada.id, ' BOB@example.com', bob.id, unknownId, 'nobody@example.com', 'nonsense'];
  const outcomes = await useCases.addMembers(authority, crew.id, references);
  expect(outcomes.map(({ profile, result }) => [profile, result])).toEqual([
    [ada.id, 'already'],
    [bob.id, 'added'],
    [bob.id, 'already'],
    [null, 'not_found'],
    [null, 'not_found'],
    [null, 'not_found'],
  ]);
  const unknownEmails = Array.from({ length: 40 }, (_, index) => `nobody-${index}@example.com`);
  const moreOutcomes = await useCases.addMembers(authority, crew.id, [...unknownEmails, 'ada@example.com']);
  expect(moreOutcomes.map(({ result }) => result)).toEqual([...unknownEmails.map(() => 'not_found'), 'already']);
  expect((await useCases.listMembers(authority, crew.id)).map(({ email }) => email)).toEqual([
    'ada@example.com',
    'bob@example.com',
  ]);
});

test('a token with the group makes its profile a member, also for its key, until a newer token lacks the group', async () => {
  const setup = await setUp();
  const { clock, admitByKey, ada } = setup;
  const firstToken = tokenOf(setup, ['Crew', 'Another']);
  expect(await listVisibleNames(setup, firstToken)).toEqual(['Roads']);
  expect(await listVisibleNames(setup, ada.key)).toEqual(['Roads']);
  clock.advance(1_000);
  expect(await listVisibleNames(setup, tokenOf(setup, null))).toEqual([]);
  expect(await listVisibleNames(setup, ada.key)).toEqual([]);
  expect(await listVisibleNames(setup, firstToken)).toEqual([]);
  clock.advance(1_000);
  await admitByKey(tokenOf(setup, ['Crew']), null);
  expect(await listVisibleNames(setup, firstToken)).toEqual(['Roads']);
});

test('if two tokens were issued in the same second, the last one received counts', async () => {
  const setup = await setUp();
  expect(await listVisibleNames(setup, tokenOf(setup, ['Crew']))).toEqual(['Roads']);
  expect(await listVisibleNames(setup, tokenOf(setup, []))).toEqual([]);
  expect(await listVisibleNames(setup, tokenOf(setup, ['Crew']))).toEqual(['Roads']);
});

test('a token whose claims are stored writes nothing, and neither does an older one', async () => {
  const setup = await setUp();
  const { ports, clock, admitByKey } = setup;
  let syncCount = 0;
  const originalGroups = { ...ports.groups };
  ports.groups.syncClaims = async (...claim) => {
    syncCount += 1;
    return originalGroups.syncClaims(...claim);
  };
  const olderToken = tokenOf(setup, ['Another']);
  clock.advance(1_000);
  const newerToken = tokenOf(setup, ['Crew']);
  for (const token of [newerToken, newerToken, olderToken, newerToken]) await admitByKey(token, null);
  expect(syncCount).toBe(1);
  expect(await listVisibleNames(setup, olderToken)).toEqual(['Roads']);
});

test('a group renamed to a name not in the claim loses its members by claim, and regains them by the old name', async () => {
  const setup = await setUp();
  const { useCases, authority, crew } = setup;
  const token = tokenOf(setup, ['Crew']);
  expect(await listVisibleNames(setup, token)).toEqual(['Roads']);
  await useCases.updateGroup(authority, crew.id, { name: 'Staff' });
  expect(await listVisibleNames(setup, token)).toEqual([]);
  await useCases.updateGroup(authority, crew.id, { name: 'Crew' });
  expect(await listVisibleNames(setup, token)).toEqual(['Roads']);
});

test("the groups of tokens can be cleared; an administrator's changes are kept", async () => {
  const setup = await setUp();
  const { useCases, authority, crew, ada, admitByKey } = setup;
  await admitByKey(tokenOf(setup, ['Crew']), null);
  expect(await listVisibleNames(setup, ada.key)).toEqual(['Roads']);
  expect(await useCases.clearGroupClaims(authority)).toBe(1);
  expect(await useCases.clearGroupClaims(authority)).toBe(0);
  expect(await listVisibleNames(setup, ada.key)).toEqual([]);
  await useCases.addMember(authority, crew.id, ada.id);
  await useCases.clearGroupClaims(authority);
  expect(await listVisibleNames(setup, ada.key)).toEqual(['Roads']);
});

test('the token of a suspended profile changes no groups', async () => {
  const setup = await setUp();
  const { useCases, authority, ada, admitByKey, crew } = setup;
  await admitByKey(tokenOf(setup, []), null);
  await useCases.suspendProfile(authority, ada.id, null);
  await expect(admitByKey(tokenOf(setup, ['Crew']), null)).rejects.toThrow('Invalid or expired token');
  await useCases.resumeProfile(authority, ada.id);
  expect(await useCases.listMembers(authority, crew.id)).toEqual([]);
});

test('each change writes one entry, which names the group and the profile', async () => {
  const setup = await setUp();
  const { useCases, authority, crew, ada, admitByKey, clock, createGroup } = setup;
  await createGroup('Other');
  await useCases.addMember(authority, crew.id, ada.id);
  await useCases.removeMember(authority, crew.id, ada.id);
  const token = tokenOf(setup, ['Crew', 'Unknown']);
  for (let i = 0; i < 2; i += 1) await admitByKey(token, null);
  clock.advance(1_000);
  await admitByKey(tokenOf(setup, ['Other', 'Unknown']), null);
  clock.advance(1_000);
  await admitByKey(tokenOf(setup, ['Other']), null);
  await useCases.updateGroup(authority, crew.id, { name: 'Staff', description: 'All', tier: null });
  await useCases.updateGroup(authority, crew.id, { name: 'Staff' });
  await useCases.removeGroup(authority, crew.id);
  const crewFields = { group_id: crew.id, group: 'Crew' };
  const profileFields = { profile_id: ada.id, profile: 'ada@example.com' };
  const admin = { actor: 'root@example.com' };
  expect(await listGroupEntries(setup)).toEqual([
    { action: 'group.create', ...admin, ...crewFields },
    expect.objectContaining({ action: 'group.create', group: 'Other' }),
    { action: 'group.join', ...admin, ...crewFields, ...profileFields },
    { action: 'group.leave', ...admin, ...crewFields, ...profileFields },
    { action: 'group.claim', actor: 'ada@example.com', ...profileFields, gained: ['Crew'], lost: [] },
    { action: 'group.claim', actor: 'ada@example.com', ...profileFields, gained: ['Other'], lost: ['Crew'] },
    { action: 'group.update', ...admin, ...crewFields, fields: ['name', 'description'], new_name: 'Staff' },
    { action: 'group.delete', ...admin, group_id: crew.id, group: 'Staff' },
  ]);
});

test('joining manually or by claim closes the requests for the collections of the group', async () => {
  const setup = await setUp();
  const { ports, useCases, authority, clock, crew, ada, admitByKey, roads } = setup;
  const pendingRequest: AccessRequest = {
    id: unknownId as RequestId,
    profileId: ada.id,
    collectionId: roads,
    reason: 'Work',
    durationDays: null,
    status: 'pending',
    createdAt: clock.now(),
    decidedAt: null,
    answer: null,
  };
  const closedRequests: unknown[] = [];
  const originalGroups = { ...ports.groups };
  ports.groups.updateMembers = (id, profiles, now, decide) =>
    originalGroups.updateMembers(id, profiles, now, (group, states) => {
      const change = decide(
        group,
        states.map((state) => ({ ...state, requests: [pendingRequest] })),
      );
      closedRequests.push(change.requests);
      return { ...change, requests: [] };
    });
  ports.groups.syncClaims = (profile, claims, decide) =>
    originalGroups.syncClaims(profile, claims, (storedClaims) => {
      const change = decide(storedClaims, [pendingRequest]);
      closedRequests.push(change.requests);
      return { ...change, requests: [] };
    });
  clock.advance(1_000);
  await useCases.addMember(authority, crew.id, ada.id);
  await useCases.removeMember(authority, crew.id, ada.id);
  await useCases.addMembers(authority, crew.id, [ada.id]);
  await admitByKey(tokenOf(setup, ['Crew']), null);
  const grantedRequests = [{ ...pendingRequest, status: 'granted', decidedAt: clock.now() }];
  expect(closedRequests).toEqual([grantedRequests, undefined, grantedRequests, grantedRequests]);
});

test("a group's tier limits members without their own tier", async () => {
  const setup = await setUp();
  const { useCases, authority, ada, admitByKey, createGroup } = setup;
  await useCases.createTier(authority, {
    tier: 'gold',
    allowed: 7,
    windowSeconds: 60,
    description: null,
    isActive: true,
  });
  await expect(createGroup('Nowhere', 'none')).rejects.toThrow('Tier not found');
  const goldGroup = await createGroup('Gold', 'gold');
  await useCases.addMember(authority, goldGroup.id, ada.id);
  expect((await admitByKey(ada.key, null)).limits.groupTier).toMatchObject({ tier: 'gold', allowed: 7 });
  await useCases.updateGroup(authority, goldGroup.id, { tier: null });
  expect((await admitByKey(ada.key, null)).limits.groupTier).toBeNull();
});

test('a group is found by its id or its exact name, even a name that looks like an id', async () => {
  const { useCases, authority, crew, createGroup } = await setUp();
  const groupNamedLikeId = await createGroup(unknownId);
  const find = (text: string) => useCases.findGroup(authority, text);
  expect(await find(crew.id.toUpperCase())).toBe(crew.id);
  expect(await find('Crew')).toBe(crew.id);
  expect(await find(unknownId)).toBe(groupNamedLikeId.id);
  for (const text of ['crew', ' Crew', '', 'Crew\0', unknownId.replace('dead', 'beef')])
    await expect(find(text)).rejects.toThrow('Group not found');
});

test('the names of groups are unique', async () => {
  const { useCases, authority, crew, createGroup } = await setUp();
  await expect(createGroup('Crew')).rejects.toThrow('Group already exists');
  const otherGroup = await createGroup('Other');
  await expect(useCases.updateGroup(authority, otherGroup.id, { name: 'Crew' })).rejects.toThrow(
    'Group already exists',
  );
  expect((await useCases.updateGroup(authority, crew.id, { name: 'Crew' })).updatedAt).toBe(crew.updatedAt);
});

test("a group's collections are listed by name, with their expiries", async () => {
  const { useCases, authority, crew, clock, roads, createCollection } = await setUp();
  const bridges: CollectionId = await createCollection('bridges');
  const expiresAt = clock.now() + 60_000;
  await useCases.grantAccess(authority, toGroupPair(crew.id, bridges), expiresAt);
  const list = async () =>
    (await useCases.listGroupCollections(authority, crew.id)).map(({ id, expiresAt }) => [id, expiresAt]);
  expect(await list()).toEqual([
    [bridges, expiresAt],
    [roads, null],
  ]);
  clock.advance(60_000);
  expect(await list()).toEqual([[roads, null]]);
  await expect(useCases.listGroupCollections(authority, unknownId as GroupId)).rejects.toThrow('Group not found');
});

test('an email finds the same profile in short and long lists, even if a mailbox has several profiles', async () => {
  const database = createMemoryDatabase();
  const harness = createHarness({}, createMemoryStores(database));
  const { authority, approveClient } = await createFixtures(harness);
  const crew = await harness.useCases.createGroup(authority, { name: 'Crew', description: '', tier: null });
  const sameMailbox: ProfileId[] = [];
  for (const [email, age] of [
    ['b@b\u00fccher.example', 1],
    ['b@xn--bcher-kva.example', 0],
    ['b@B\u00fccher.example', 2],
  ] as const) {
    const { id } = await approveClient(`twin-${age}`);
    const profile = database.profiles.get(id);
    if (profile) database.profiles.set(id, { ...profile, email, createdAt: profile.createdAt - age });
    sameMailbox.push(id);
  }
  const addresses = [
    'b@b\u00fccher.example',
    'b@xn--bcher-kva.example',
    'b@B\u00fccher.example',
    'b@bu\u0308cher.example',
  ];
  const unknownEmails = Array.from({ length: 60 }, (_, index) => `nobody-${index}@example.com`);
  for (const emails of [addresses, [...addresses, ...unknownEmails]]) {
    const outcomes = await harness.useCases.addMembers(authority, crew.id, emails);
    expect(outcomes.slice(0, 4).map(({ profile }) => profile)).toEqual([...sameMailbox, sameMailbox[2]]);
  }
});
