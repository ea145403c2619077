import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import { listOf, object } from '../shapes.ts';

const outcomes = ['outcome', 'profile_id', 'email', 'collection_id', 'collection_name', 'expires_at'];

/** Ends that cannot be read, or are of another type. */
const badEnds = [{ expires_at: 'soon' }, { expires_at: 7 }, { expires_at: '2026-02-30' }];
const badLists = [
  {},
  { profiles: ['x'] },
  { collections: ['x'] },
  { profiles: [], collections: ['x'] },
  { profiles: ['x'], collections: [] },
  { profiles: 'x', collections: ['x'] },
  { profiles: [7], collections: ['x'] },
  { profiles: ['x'], groups: [''], collections: ['x'] },
  { profiles: ['x'.repeat(255)], collections: ['x'] },
];

export const accessEndpoints: Endpoints = {
  'GET /api/access/clients/{client_profile_id}/collections': {
    answer: listOf(['id', 'name', 'description', 'has_access', 'granted_at']),
    aim: ({ cast }) => ({ params: { client_profile_id: cast.granted.id } }),
    holds: ({ list }, _caller, { granted, hidden }) => {
      const has = (id: string) => list.filter((entry) => entry.id === id).map((entry) => entry.has_access);
      expect([has(granted), has(hidden)]).toEqual([[true], [false]]);
    },
    badQueries: ['?granted=some', '?granted=true&granted=true'],
  },
  'POST /api/access/clients/{client_profile_id}/collections/{collection_id}': {
    answer: object(['message', 'client_id', 'collection_id', 'granted_at']),
    aim: ({ cast, hidden }) => ({ params: { client_profile_id: cast.client.id, collection_id: hidden } }),
    freshAim: async ({ make, granted }) => ({
      params: { client_profile_id: (await make.person('pending', granted)).id, collection_id: granted },
    }),
    holds: ({ body }, _caller, { granted }) => expect(body.collection_id).toBe(granted),
    badBodies: [...badEnds, { expires_at: '2020-01-01' }],
  },
  'PUT /api/access/clients/{client_profile_id}/collections/{collection_id}': {
    answer: object(['message', 'client_id', 'collection_id', 'granted_at', 'expires_at']),
    aim: ({ cast, granted }) => ({
      params: { client_profile_id: cast.granted.id, collection_id: granted },
      json: { expires_at: null },
    }),
    freshAim: async ({ make, granted }) => ({
      params: { client_profile_id: (await make.person('pendingGranted', granted)).id, collection_id: granted },
      json: { expires_at: '2999-12-31' },
    }),
    holds: ({ body }) => expect(body.expires_at).toBe('3000-01-01T00:00:00.000Z'),
    badBodies: [{}, ...badEnds, { expires_at: '' }, { expires_at: '2020-01-01' }],
  },
  'DELETE /api/access/clients/{client_profile_id}/collections/{collection_id}': {
    aim: ({ cast, granted }) => ({ params: { client_profile_id: cast.granted.id, collection_id: granted } }),
    freshAim: async ({ make, granted }) => ({
      params: { client_profile_id: (await make.person('pendingGranted', granted)).id, collection_id: granted },
    }),
  },
  'GET /api/access/collections/{collection_id}/clients': {
    answer: listOf(['client_id', 'email', 'full_name', 'company_name', 'granted_at']),
    aim: ({ granted }) => ({ params: { collection_id: granted } }),
    holds: ({ list }, _caller, { cast }) => {
      const ids = list.map((entry) => entry.client_id);
      expect(ids).toContain(cast.granted.id);
      expect(ids).not.toContain(cast.client.id);
      expect(ids).not.toContain(cast.deleted.id);
      expect(ids).toContain(cast.suspended.id);
      expect(ids).not.toContain(cast.expiredGrant.id);
    },
    badQueries: ['?include=everything'],
  },
  'POST /api/access/grants': {
    answer: object(['granted', 'changed', 'already', 'not_found', 'ambiguous', 'outcomes'], { outcomes }),
    aim: ({ cast, granted }) => ({ json: { profiles: [cast.granted.id], collections: [granted] } }),
    freshAim: async ({ make, granted }) => ({
      json: { profiles: [(await make.person('pending', granted)).email], collections: [granted] },
    }),
    holds: ({ body }) => expect(body.granted).toBe(1),
    badBodies: [...badLists, { profiles: ['x'], collections: ['x'], expires_at: 'soon' }],
  },
  'DELETE /api/access/grants': {
    answer: object(['revoked', 'not_granted', 'not_found', 'ambiguous', 'outcomes'], { outcomes }),
    aim: ({ cast, hidden }) => ({ json: { profiles: [cast.granted.id], collections: [hidden] } }),
    freshAim: async ({ make, granted }) => ({
      json: { profiles: [(await make.person('pendingGranted', granted)).email], collections: [granted] },
    }),
    holds: ({ body }) => expect(body.revoked).toBe(1),
    badBodies: badLists,
  },
  'GET /api/access/matrix': {
    aim: ({ granted, cast }) => ({ query: `?limit=1000&collection=${granted}&profile=${cast.suspended.email}` }),
    holds: ({ list }, _caller, { granted, cast }) =>
      expect(list).toMatchObject([
        { client_id: cast.suspended.id, collection_id: granted, suspended_at: expect.any(String) as string },
      ]),
    badQueries: [
      '?limit=0',
      '?limit=1001',
      '?cursor=x',
      '?cursor=!',
      '?expiring_before=soon',
      '?include_expired=some',
      `?collection=${'x'.repeat(501)}`,
    ],
  },
};
