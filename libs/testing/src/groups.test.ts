import {
  clientPair,
  groupPair,
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

const absent = '00000000-0000-4000-8000-00000000dead';

const setUp = async () => {
  const harness = createHarness();
  const fixtures = await createFixtures(harness);
  const { useCases } = harness;
  const group = (name: string, tier: string | null = null) =>
    useCases.createGroup(fixtures.authority, { name, description: '', tier });
  const roads = await fixtures.collection('Roads');
  const crew = await group('Crew');
  await useCases.grantAccess(fixtures.authority, groupPair(crew.id, roads));
  return { ...harness, ...fixtures, group, roads, crew, ada: await fixtures.approved('ada') };
};

type Setup = Awaited<ReturnType<typeof setUp>>;

/** Returns the collections that a caller can list, and checks that reading is allowed for the same collections. */
const visibleTo = async ({ useCases, byKey, roads }: Setup, key: Parameters<Setup['byKey']>[0]) => {
  const names = (await useCases.listCollections(await byKey(key, null), null)).map(({ name }) => name);
  const target = await byKey(key, roads);
  expect(target.granted).toBe(names.includes('Roads'));
  return names;
};

const tokenOf = ({ tokens }: Harness, groups: readonly string[] | null, ttlSeconds?: number) =>
  ({
    kind: 'token',
    token: tokens.mint({ uid: 'ada', email: 'ada@example.com', ...(groups ? { groups } : {}) }, ttlSeconds),
  }) as const;

/** Returns the audit entries about groups, oldest first. */
const groupEntries = async ({ ports }: Harness) =>
  (await ports.audit.page({ source: 'system' }, 0, 100)).entries
    .toReversed()
    .map(({ message }) => JSON.parse(message) as Record<string, unknown>)
    .filter(({ action }) => String(action).startsWith('group.'));

test('a member has the access of its group, from joining to leaving', async () => {
  const scene = await setUp();
  const { useCases, authority, crew, ada } = scene;
  expect(await visibleTo(scene, ada.key)).toEqual([]);
  await useCases.addMember(authority, crew.id, ada.id);
  expect(await visibleTo(scene, ada.key)).toEqual(['Roads']);
  expect(await useCases.removeMember(authority, crew.id, ada.id)).toEqual({ staysByClaim: false });
  expect(await visibleTo(scene, ada.key)).toEqual([]);
});

test.each<[string, (scene: Setup) => Promise<unknown>]>([
  ['the group is deleted', ({ useCases, authority, crew }) => useCases.removeGroup(authority, crew.id)],
  [
    'the grant of the group is revoked',
    ({ useCases, authority, crew, roads }) => useCases.revokeAccess(authority, groupPair(crew.id, roads)),
  ],
  [
    'the grant of the group expires',
    async ({ useCases, authority, clock, crew, roads }) => {
      await useCases.changeExpiry(authority, groupPair(crew.id, roads), clock.now() + 1_000);
      clock.advance(1_000);
    },
  ],
])('members lose the access that only the group gave them when %s', async (_event, end) => {
  const scene = await setUp();
  await scene.useCases.addMember(scene.authority, scene.crew.id, scene.ada.id);
  expect(await visibleTo(scene, scene.ada.key)).toEqual(['Roads']);
  await end(scene);
  expect(await visibleTo(scene, scene.ada.key)).toEqual([]);
});

test("a member's own grant outlives the membership", async () => {
  const scene = await setUp();
  const { useCases, authority, crew, ada, roads } = scene;
  await useCases.addMember(authority, crew.id, ada.id);
  await useCases.grantAccess(authority, clientPair(ada.id, roads));
  await useCases.removeMember(authority, crew.id, ada.id);
  expect(await visibleTo(scene, ada.key)).toEqual(['Roads']);
});

test('the rules for members are checked in order', async () => {
  const scene = await setUp();
  const { useCases, authority, crew, ada, byKey } = scene;
  const unknown = absent as ProfileId;
  await expect(useCases.addMember(authority, absent as GroupId, unknown)).rejects.toThrow('Group not found');
  await expect(useCases.addMember(authority, crew.id, unknown)).rejects.toThrow('User not found');
  await expect(useCases.removeMember(authority, crew.id, unknown)).rejects.toThrow('User not found');
  await expect(useCases.removeMember(authority, crew.id, ada.id)).rejects.toThrow('User not in the group');
  await byKey(tokenOf(scene, ['Crew']), null);
  await expect(useCases.removeMember(authority, crew.id, ada.id)).rejects.toThrow("The identity provider's claim");
  await useCases.addMember(authority, crew.id, ada.id);
  await expect(useCases.addMember(authority, crew.id, ada.id)).rejects.toThrow('User already in the group');
  expect(await useCases.removeMember(authority, crew.id, ada.id)).toEqual({ staysByClaim: true });
});

test('many members can be added in one call, each with its outcome', async () => {
  const scene = await setUp();
  const { useCases, authority, crew, ada, approved } = scene;
  const bob = await approved('bob');
  await useCases.addMember(authority, crew.id, ada.id);
  const references = [ada.id, ' BOB@example.com', bob.id, absent, 'nobody@example.com', 'nonsense'];
  const outcomes = await useCases.addMembers(authority, crew.id, references);
  expect(outcomes.map(({ profile, result }) => [profile, result])).toEqual([
    [ada.id, 'already'],
    [bob.id, 'added'],
    [bob.id, 'already'],
    [null, 'not_found'],
    [null, 'not_found'],
    [null, 'not_found'],
  ]);
  const many = Array.from({ length: 40 }, (_, at) => `nobody-${at}@example.com`);
  const more = await useCases.addMembers(authority, crew.id, [...many, 'ada@example.com']);
  expect(more.map(({ result }) => result)).toEqual([...many.map(() => 'not_found'), 'already']);
  expect((await useCases.listMembers(authority, crew.id)).map(({ email }) => email)).toEqual([
    'ada@example.com',
    'bob@example.com',
  ]);
});

test('a token with the group creates a member, also for its key, until a newer token lacks the group', async () => {
  const scene = await setUp();
  const { clock, byKey, ada } = scene;
  const first = tokenOf(scene, ['Crew', 'Another']);
  expect(await visibleTo(scene, first)).toEqual(['Roads']);
  expect(await visibleTo(scene, ada.key)).toEqual(['Roads']);
  clock.advance(1_000);
  expect(await visibleTo(scene, tokenOf(scene, null))).toEqual([]);
  expect(await visibleTo(scene, ada.key)).toEqual([]);
  expect(await visibleTo(scene, first)).toEqual([]);
  clock.advance(1_000);
  await byKey(tokenOf(scene, ['Crew']), null);
  expect(await visibleTo(scene, first)).toEqual(['Roads']);
});

test('if two tokens were issued in the same second, the last one received counts', async () => {
  const scene = await setUp();
  expect(await visibleTo(scene, tokenOf(scene, ['Crew']))).toEqual(['Roads']);
  expect(await visibleTo(scene, tokenOf(scene, []))).toEqual([]);
  expect(await visibleTo(scene, tokenOf(scene, ['Crew']))).toEqual(['Roads']);
});

test('a token with stored claims writes nothing, and neither does an older one', async () => {
  const scene = await setUp();
  const { ports, clock, byKey } = scene;
  let syncs = 0;
  const real = { ...ports.groups };
  ports.groups.syncClaims = async (...claim) => {
    syncs += 1;
    return real.syncClaims(...claim);
  };
  const older = tokenOf(scene, ['Another']);
  clock.advance(1_000);
  const newer = tokenOf(scene, ['Crew']);
  for (const token of [newer, newer, older, newer]) await byKey(token, null);
  expect(syncs).toBe(1);
  expect(await visibleTo(scene, older)).toEqual(['Roads']);
});

test('a group renamed to a name not in the claim loses its members by claim, and regains them by the old name', async () => {
  const scene = await setUp();
  const { useCases, authority, crew } = scene;
  const token = tokenOf(scene, ['Crew']);
  expect(await visibleTo(scene, token)).toEqual(['Roads']);
  await useCases.updateGroup(authority, crew.id, { name: 'Staff' });
  expect(await visibleTo(scene, token)).toEqual([]);
  await useCases.updateGroup(authority, crew.id, { name: 'Crew' });
  expect(await visibleTo(scene, token)).toEqual(['Roads']);
});

test("the groups of tokens can be cleared; an administrator's changes stay", async () => {
  const scene = await setUp();
  const { useCases, authority, crew, ada, byKey } = scene;
  await byKey(tokenOf(scene, ['Crew']), null);
  expect(await visibleTo(scene, ada.key)).toEqual(['Roads']);
  expect(await useCases.clearGroupClaims(authority)).toBe(1);
  expect(await useCases.clearGroupClaims(authority)).toBe(0);
  expect(await visibleTo(scene, ada.key)).toEqual([]);
  await useCases.addMember(authority, crew.id, ada.id);
  await useCases.clearGroupClaims(authority);
  expect(await visibleTo(scene, ada.key)).toEqual(['Roads']);
});

test('the token of a suspended profile changes no groups', async () => {
  const scene = await setUp();
  const { useCases, authority, ada, byKey, crew } = scene;
  await byKey(tokenOf(scene, []), null);
  await useCases.suspendProfile(authority, ada.id, null);
  await expect(byKey(tokenOf(scene, ['Crew']), null)).rejects.toThrow('Invalid or expired token');
  await useCases.resumeProfile(authority, ada.id);
  expect(await useCases.listMembers(authority, crew.id)).toEqual([]);
});

test('each change causes one entry that names the group and the profile', async () => {
  const scene = await setUp();
  const { useCases, authority, crew, ada, byKey, clock, group } = scene;
  await group('Other');
  await useCases.addMember(authority, crew.id, ada.id);
  await useCases.removeMember(authority, crew.id, ada.id);
  const token = tokenOf(scene, ['Crew', 'Unknown']);
  for (let again = 0; again < 2; again += 1) await byKey(token, null);
  clock.advance(1_000);
  await byKey(tokenOf(scene, ['Other', 'Unknown']), null);
  clock.advance(1_000);
  await byKey(tokenOf(scene, ['Other']), null);
  await useCases.updateGroup(authority, crew.id, { name: 'Staff', description: 'All', tier: null });
  await useCases.updateGroup(authority, crew.id, { name: 'Staff' });
  await useCases.removeGroup(authority, crew.id);
  const crewFields = { group_id: crew.id, group: 'Crew' };
  const profileFields = { profile_id: ada.id, profile: 'ada@example.com' };
  const admin = { actor: 'root@example.com' };
  expect(await groupEntries(scene)).toEqual([
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
  const scene = await setUp();
  const { ports, useCases, authority, clock, crew, ada, byKey, roads } = scene;
  const pending: AccessRequest = {
    id: absent as RequestId,
    profileId: ada.id,
    collectionId: roads,
    reason: 'Work',
    durationDays: null,
    status: 'pending',
    createdAt: clock.now(),
    decidedAt: null,
    answer: null,
  };
  const closed: unknown[] = [];
  const real = { ...ports.groups };
  ports.groups.updateMembers = (id, profiles, now, decide) =>
    real.updateMembers(id, profiles, now, (group, states) => {
      const change = decide(
        group,
        states.map((state) => ({ ...state, requests: [pending] })),
      );
      closed.push(change.requests);
      return { ...change, requests: [] };
    });
  ports.groups.syncClaims = (profile, claims, decide) =>
    real.syncClaims(profile, claims, (before) => {
      const change = decide(before, [pending]);
      closed.push(change.requests);
      return { ...change, requests: [] };
    });
  clock.advance(1_000);
  await useCases.addMember(authority, crew.id, ada.id);
  await useCases.removeMember(authority, crew.id, ada.id);
  await useCases.addMembers(authority, crew.id, [ada.id]);
  await byKey(tokenOf(scene, ['Crew']), null);
  const granted = [{ ...pending, status: 'granted', decidedAt: clock.now() }];
  expect(closed).toEqual([granted, undefined, granted, granted]);
});

test("a group's tier limits members without their own tier", async () => {
  const scene = await setUp();
  const { useCases, authority, ada, byKey, group } = scene;
  await useCases.createTier(authority, {
    tier: 'gold',
    allowed: 7,
    windowSeconds: 60,
    description: null,
    isActive: true,
  });
  await expect(group('Nowhere', 'none')).rejects.toThrow('Tier not found');
  const gold = await group('Gold', 'gold');
  await useCases.addMember(authority, gold.id, ada.id);
  expect((await byKey(ada.key, null)).limits.groupTier).toMatchObject({ tier: 'gold', allowed: 7 });
  await useCases.updateGroup(authority, gold.id, { tier: null });
  expect((await byKey(ada.key, null)).limits.groupTier).toBeNull();
});

test('a group is found by its id or its exact name, even a name that looks like an id', async () => {
  const { useCases, authority, crew, group } = await setUp();
  const odd = await group(absent);
  const find = (text: string) => useCases.findGroup(authority, text);
  expect(await find(crew.id.toUpperCase())).toBe(crew.id);
  expect(await find('Crew')).toBe(crew.id);
  expect(await find(absent)).toBe(odd.id);
  for (const text of ['crew', ' Crew', '', 'Crew\0', absent.replace('dead', 'beef')])
    await expect(find(text)).rejects.toThrow('Group not found');
});

test('a name is unique', async () => {
  const { useCases, authority, crew, group } = await setUp();
  await expect(group('Crew')).rejects.toThrow('Group already exists');
  const other = await group('Other');
  await expect(useCases.updateGroup(authority, other.id, { name: 'Crew' })).rejects.toThrow('Group already exists');
  expect((await useCases.updateGroup(authority, crew.id, { name: 'Crew' })).updatedAt).toBe(crew.updatedAt);
});

test("a group's collections are listed by name, with their expiries", async () => {
  const { useCases, authority, crew, clock, roads, collection } = await setUp();
  const bridges: CollectionId = await collection('bridges');
  const end = clock.now() + 60_000;
  await useCases.grantAccess(authority, groupPair(crew.id, bridges), end);
  const list = async () =>
    (await useCases.listGroupCollections(authority, crew.id)).map(({ id, expiresAt }) => [id, expiresAt]);
  expect(await list()).toEqual([
    [bridges, end],
    [roads, null],
  ]);
  clock.advance(60_000);
  expect(await list()).toEqual([[roads, null]]);
  await expect(useCases.listGroupCollections(authority, absent as GroupId)).rejects.toThrow('Group not found');
});

test('an e-mail finds the same profile in short and long lists, even if a mailbox has several profiles', async () => {
  const database = createMemoryDatabase();
  const harness = createHarness({}, createMemoryStores(database));
  const { authority, approved } = await createFixtures(harness);
  const crew = await harness.useCases.createGroup(authority, { name: 'Crew', description: '', tier: null });
  const sameMailbox: ProfileId[] = [];
  for (const [email, age] of [
    ['b@b\u00fccher.example', 1],
    ['b@xn--bcher-kva.example', 0],
    ['b@B\u00fccher.example', 2],
  ] as const) {
    const { id } = await approved(`twin-${age}`);
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
  const many = Array.from({ length: 60 }, (_, at) => `nobody-${at}@example.com`);
  for (const emails of [addresses, [...addresses, ...many]]) {
    const outcomes = await harness.useCases.addMembers(authority, crew.id, emails);
    expect(outcomes.slice(0, 4).map(({ profile }) => profile)).toEqual([...sameMailbox, sameMailbox[2]]);
  }
});
