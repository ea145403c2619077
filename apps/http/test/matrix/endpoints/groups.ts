import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import type { World } from '../world.ts';
const counts = ['member_count', 'collection_count'];

const standing = ({ group }: World) => ({ params: { group_id: group } });
const fresh = async ({ make }: World) => ({ params: { group_id: await make.group() } });

const badNames = [{ name: 7 }, { name: 'x'.repeat(201) }, { name: 'two\nlines' }];
const badTexts = [{ description: 'x'.repeat(1_001) }, { description: 7 }, { tier: 7 }];
const badEnds = [{ expires_at: 7 }, { expires_at: 'soon' }, { expires_at: '2020-01-31T09:30:00Z' }];

/** Whether each of these profiles is in the list. */
const have = (list: readonly Readonly<Record<string, unknown>>[], { cast }: World) => {
  const ids = new Set(list.map(({ profile_id }) => profile_id));
  const { member, memberByClaim, formerMember, formerMemberByClaim, client } = cast;
  return [member, memberByClaim, formerMember, formerMemberByClaim, client].map(({ id }) => ids.has(id));
};
const onlyMembers = [true, true, false, false, false];

/** A grant of a group of its own. */
const freshGrant = async ({ make, granted }: World) => {
  const group = await make.group();
  await make.asAdmin('POST', `/api/groups/${group}/collections/${granted}`, {}, 201);
  return { params: { group_id: group, collection_id: granted } };
};
const farEnd = '2099-01-31T00:00:00.000Z';

export const groupEndpoints: Endpoints = {
  'POST /api/groups': {
    aim: ({ make }) => ({ json: { name: make.nextName() } }),
    holds: ({ body }) => expect(body).toMatchObject({ description: '', tier: null }),
    badBodies: [{}, { name: null }, { name: ' ' }, ...badNames, ...badTexts.map((one) => ({ name: 'fine', ...one }))],
  },
  'GET /api/groups': {
    aim: () => ({}),
    badQueries: ['?limit=0', '?limit=1001', '?cursor=!', `?q=${'x'.repeat(201)}`, '?include_total=some'],
    holds: ({ list }, _caller, { group }) => expect(list.map(({ id }) => id)).toContain(group),
    volatile: counts,
  },
  'GET /api/groups/{group_id}': {
    aim: () => ({ params: { group_id: 'Standing%20crew' } }),
    holds: ({ body }, _caller, world) => {
      expect(body.id).toBe(world.group);
      expect(have(body.members as Readonly<Record<string, unknown>>[], world)).toEqual(onlyMembers);
      expect(body.collections).toMatchObject([{ id: world.granted, expires_at: null }]);
    },
    volatile: counts,
  },
  'PUT /api/groups/{group_id}': {
    aim: (world) => ({ ...standing(world), json: { description: 'Changed' } }),
    freshAim: async (world) => ({ ...(await fresh(world)), json: { description: 'Changed' } }),
    holds: ({ body }) => expect(body.description).toBe('Changed'),
    badBodies: [...badNames, ...badTexts],
  },
  'DELETE /api/groups/{group_id}': { aim: standing, freshAim: fresh },
  'PUT /api/groups/{group_id}/tier': {
    aim: (world) => ({ ...standing(world), json: { tier: world.tier } }),
    freshAim: async (world) => ({ ...(await fresh(world)), json: { tier: world.tier } }),
    holds: ({ body }, _caller, { tier }) => expect(body.tier).toBe(tier),
    badBodies: [{}, { tier: 7 }, { tier: '' }],
  },
  'GET /api/groups/{group_id}/members': {
    aim: standing,
    holds: ({ list }, _caller, world) => expect(have(list, world)).toEqual(onlyMembers),
    badQueries: ['?limit=0', '?limit=10001', '?limit=many', '?cursor=!', '?cursor=a&cursor=b'],
  },
  'POST /api/groups/{group_id}/members': {
    aim: (world) => ({ ...standing(world), json: { profiles: [world.cast.member.id, 'nobody@example.com'] } }),
    freshAim: async ({ make, granted }) => ({
      params: { group_id: await make.group() },
      json: { profiles: [(await make.person('pending', granted)).id, 'nobody@example.com'] },
    }),
    holds: ({ body }) =>
      expect(body.outcomes).toMatchObject([
        { outcome: 'added' },
        { profile: 'nobody@example.com', profile_id: null, outcome: 'not_found' },
      ]),
    badBodies: [{}, { profiles: [] }, { profiles: 'x' }, { profiles: [7] }, { profiles: [''] }],
  },
  'POST /api/groups/{group_id}/members/{profile_id}': {
    aim: (world) => ({ params: { group_id: world.group, profile_id: world.cast.client.id } }),
    freshAim: async ({ make, granted }) => ({
      params: { group_id: await make.group(), profile_id: (await make.person('pending', granted)).id },
    }),
    holds: ({ body }) => expect(body.claimed_at).toBeNull(),
  },
  'DELETE /api/groups/{group_id}/members/{profile_id}': {
    aim: (world) => ({ params: { group_id: world.group, profile_id: world.cast.member.id } }),
    freshAim: async ({ make, granted, group }) => ({
      params: { group_id: group, profile_id: (await make.person('member', granted)).id },
    }),
  },
  'GET /api/profiles/{user_id}/groups': {
    aim: ({ cast }) => ({ params: { user_id: cast.memberByClaim.id } }),
    holds: ({ list }, _caller, { group }) =>
      expect(list).toEqual([
        { id: group, name: 'Standing crew', added_at: null, claimed_at: expect.any(String) as string },
      ]),
  },
  'GET /api/groups/{group_id}/collections': {
    aim: standing,
    holds: ({ list }, _caller, { granted }) => expect(list.map(({ id }) => id)).toEqual([granted]),
  },
  'POST /api/groups/{group_id}/collections/{collection_id}': {
    aim: ({ group, hidden }) => ({ params: { group_id: group, collection_id: hidden } }),
    freshAim: async ({ make, granted }) => ({ params: { group_id: await make.group(), collection_id: granted } }),
    holds: ({ body }) => expect(body.expires_at).toBeNull(),
    badBodies: badEnds,
  },
  'PUT /api/groups/{group_id}/collections/{collection_id}': {
    aim: ({ group, granted }) => ({
      params: { group_id: group, collection_id: granted },
      json: { expires_at: null },
    }),
    freshAim: async (world) => ({ ...(await freshGrant(world)), json: { expires_at: farEnd } }),
    holds: ({ body }) => expect(body.expires_at).toBe(farEnd),
    badBodies: [{}, ...badEnds],
  },
  'DELETE /api/groups/{group_id}/collections/{collection_id}': {
    aim: ({ group, granted }) => ({ params: { group_id: group, collection_id: granted } }),
    freshAim: freshGrant,
  },
};
