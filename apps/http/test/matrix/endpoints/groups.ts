import { expect } from 'vitest';
import { badRules } from '../bodies.ts';
import type { Endpoints } from '../endpoint.ts';
import { listOf, object } from '../shapes.ts';
import type { World } from '../world.ts';
const grantFields = ['message', 'group_id', 'collection_id', 'granted_at', 'expires_at'];
const ruleParts = ['operations', 'except', 'ask'];
const counts = ['member_count', 'collection_count'];

const sharedTarget = ({ group }: World) => ({ params: { group_id: group } });
const createTarget = async ({ make }: World) => ({ params: { group_id: await make.group() } });

const badNames = [{ name: 7 }, { name: 'x'.repeat(201) }, { name: 'two\nlines' }];
const badTexts = [{ description: 'x'.repeat(1_001) }, { description: 7 }, { tier: 7 }];
const badExpiries = [{ expires_at: 7 }, { expires_at: 'soon' }, { expires_at: '2020-01-31T09:30:00Z' }];

/** Returns whether each of these profiles is in the list. */
const membershipOf = (list: readonly Readonly<Record<string, unknown>>[], { people }: World) => {
  const ids = new Set(list.map(({ profile_id }) => profile_id));
  const { member, memberByClaim, formerMember, formerMemberByClaim, client } = people;
  return [member, memberByClaim, formerMember, formerMemberByClaim, client].map(({ id }) => ids.has(id));
};
const expectedMembership = [true, true, false, false, false];

/** Creates a grant for a new group. */
const createGrantTarget = async ({ make, granted }: World) => {
  const group = await make.group();
  await make.asAdmin('POST', `/api/groups/${group}/collections/${granted}`, {}, 201);
  return { params: { group_id: group, collection_id: granted } };
};
const farExpiry = '2099-01-31T00:00:00.000Z';

export const groupEndpoints: Endpoints = {
  'POST /api/groups': {
    target: ({ make }) => ({ json: { name: make.nextName() } }),
    verify: ({ body }) => expect(body).toMatchObject({ description: '', tier: null }),
    badBodies: [{}, { name: null }, { name: ' ' }, ...badNames, ...badTexts.map((text) => ({ name: 'fine', ...text }))],
  },
  'GET /api/groups': {
    target: () => ({}),
    badQueries: ['?limit=0', '?limit=1001', '?cursor=!', `?q=${'x'.repeat(201)}`, '?include_total=some'],
    verify: ({ list }, _caller, { group }) => expect(list.map(({ id }) => id)).toContain(group),
    volatileFields: counts,
  },
  'GET /api/groups/{group_id}': {
    target: () => ({ params: { group_id: 'Standing%20crew' } }),
    verify: ({ body }, _caller, world) => {
      expect(body.id).toBe(world.group);
      expect(membershipOf(body.members as Readonly<Record<string, unknown>>[], world)).toEqual(expectedMembership);
      expect(body.collections).toMatchObject([{ id: world.granted, expires_at: null }]);
    },
    volatileFields: counts,
  },
  'PUT /api/groups/{group_id}': {
    target: (world) => ({ ...sharedTarget(world), json: { description: 'Changed' } }),
    freshTarget: async (world) => ({ ...(await createTarget(world)), json: { description: 'Changed' } }),
    verify: ({ body }) => expect(body.description).toBe('Changed'),
    badBodies: [...badNames, ...badTexts],
  },
  'DELETE /api/groups/{group_id}': { target: sharedTarget, freshTarget: createTarget },
  'PUT /api/groups/{group_id}/tier': {
    target: (world) => ({ ...sharedTarget(world), json: { tier: world.tier } }),
    freshTarget: async (world) => ({ ...(await createTarget(world)), json: { tier: world.tier } }),
    verify: ({ body }, _caller, { tier }) => expect(body.tier).toBe(tier),
    badBodies: [{}, { tier: 7 }, { tier: '' }],
  },
  'GET /api/groups/{group_id}/members': {
    target: sharedTarget,
    verify: ({ list }, _caller, world) => expect(membershipOf(list, world)).toEqual(expectedMembership),
    badQueries: ['?limit=0', '?limit=10001', '?limit=many', '?cursor=!', '?cursor=a&cursor=b'],
  },
  'POST /api/groups/{group_id}/members': {
    target: (world) => ({ ...sharedTarget(world), json: { profiles: [world.people.member.id, 'nobody@example.com'] } }),
    freshTarget: async ({ make, granted }) => ({
      params: { group_id: await make.group() },
      json: { profiles: [(await make.person('pending', granted)).id, 'nobody@example.com'] },
    }),
    verify: ({ body }) =>
      expect(body.outcomes).toMatchObject([
        { outcome: 'added' },
        { profile: 'nobody@example.com', profile_id: null, outcome: 'not_found' },
      ]),
    badBodies: [{}, { profiles: [] }, { profiles: 'x' }, { profiles: [7] }, { profiles: [''] }],
  },
  'POST /api/groups/{group_id}/members/{profile_id}': {
    target: (world) => ({ params: { group_id: world.group, profile_id: world.people.client.id } }),
    freshTarget: async ({ make, granted }) => ({
      params: { group_id: await make.group(), profile_id: (await make.person('pending', granted)).id },
    }),
    verify: ({ body }) => expect(body.claimed_at).toBeNull(),
  },
  'DELETE /api/groups/{group_id}/members/{profile_id}': {
    target: (world) => ({ params: { group_id: world.group, profile_id: world.people.member.id } }),
    freshTarget: async ({ make, granted, group }) => ({
      params: { group_id: group, profile_id: (await make.person('member', granted)).id },
    }),
  },
  'GET /api/profiles/{user_id}/groups': {
    target: ({ people }) => ({ params: { user_id: people.memberByClaim.id } }),
    verify: ({ list }, _caller, { group }) =>
      expect(list).toEqual([
        { id: group, name: 'Standing crew', added_at: null, claimed_at: expect.any(String) as string },
      ]),
  },
  'GET /api/groups/{group_id}/collections': {
    response: listOf(['id', 'name', 'granted_at', 'expires_at']),
    target: sharedTarget,
    verify: ({ list }, _caller, { granted }) => expect(list.map(({ id }) => id)).toEqual([granted]),
  },
  'POST /api/groups/{group_id}/collections/{collection_id}': {
    response: object(grantFields),
    target: ({ group, hidden }) => ({ params: { group_id: group, collection_id: hidden } }),
    freshTarget: async ({ make, granted }) => ({ params: { group_id: await make.group(), collection_id: granted } }),
    verify: ({ body }) => expect(body.expires_at).toBeNull(),
    badBodies: badExpiries,
  },
  'PUT /api/groups/{group_id}/collections/{collection_id}': {
    response: object([...grantFields, ...ruleParts]),
    target: ({ group, granted }) => ({
      params: { group_id: group, collection_id: granted },
      json: { expires_at: null },
    }),
    freshTarget: async (world) => ({ ...(await createGrantTarget(world)), json: { expires_at: farExpiry } }),
    verify: ({ body }) => expect(body.expires_at).toBe(farExpiry),
    badBodies: [{}, ...badExpiries, ...badRules],
  },
  'DELETE /api/groups/{group_id}/collections/{collection_id}': {
    target: ({ group, granted }) => ({ params: { group_id: group, collection_id: granted } }),
    freshTarget: createGrantTarget,
  },
};
