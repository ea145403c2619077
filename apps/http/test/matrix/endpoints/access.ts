import { expect } from 'vitest';
import { badRules } from '../bodies.ts';
import type { Endpoints } from '../endpoint.ts';
import { listOf, object } from '../shapes.ts';

const outcomes = ['outcome', 'profile_id', 'email', 'collection_id', 'collection_name', 'expires_at'];

const ruleParts = ['operations', 'except', 'ask'];
/** Expiries that cannot be parsed or have a wrong type. */
const badExpiries = [{ expires_at: 'soon' }, { expires_at: 7 }, { expires_at: '2026-02-30' }];
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
    response: listOf(['id', 'name', 'description', 'has_access', 'granted_at']),
    target: ({ people }) => ({ params: { client_profile_id: people.granted.id } }),
    verify: ({ list }, _caller, { granted, hidden }) => {
      const has = (id: string) => list.filter((entry) => entry.id === id).map((entry) => entry.has_access);
      expect([has(granted), has(hidden)]).toEqual([[true], [false]]);
    },
    badQueries: ['?granted=some', '?granted=true&granted=true'],
  },
  'POST /api/access/clients/{client_profile_id}/collections/{collection_id}': {
    response: object(['message', 'client_id', 'collection_id', 'granted_at']),
    target: ({ people, hidden }) => ({ params: { client_profile_id: people.client.id, collection_id: hidden } }),
    freshTarget: async ({ make, granted }) => ({
      params: { client_profile_id: (await make.person('pending', granted)).id, collection_id: granted },
    }),
    verify: ({ body }, _caller, { granted }) => expect(body.collection_id).toBe(granted),
    badBodies: [...badExpiries, { expires_at: '2020-01-01' }],
  },
  'PUT /api/access/clients/{client_profile_id}/collections/{collection_id}': {
    response: object(['message', 'client_id', 'collection_id', 'granted_at', 'expires_at', ...ruleParts]),
    target: ({ people, granted }) => ({
      params: { client_profile_id: people.granted.id, collection_id: granted },
      json: { expires_at: null },
    }),
    freshTarget: async ({ make, granted }) => ({
      params: { client_profile_id: (await make.person('pendingGranted', granted)).id, collection_id: granted },
      json: { expires_at: '2999-12-31' },
    }),
    verify: ({ body }) => expect(body.expires_at).toBe('3000-01-01T00:00:00.000Z'),
    badBodies: [{}, ...badExpiries, ...badRules, { expires_at: '' }, { expires_at: '2020-01-01' }],
  },
  'DELETE /api/access/clients/{client_profile_id}/collections/{collection_id}': {
    target: ({ people, granted }) => ({ params: { client_profile_id: people.granted.id, collection_id: granted } }),
    freshTarget: async ({ make, granted }) => ({
      params: { client_profile_id: (await make.person('pendingGranted', granted)).id, collection_id: granted },
    }),
  },
  'GET /api/access/collections/{collection_id}/clients': {
    response: listOf(['client_id', 'email', 'full_name', 'company_name', 'granted_at']),
    target: ({ granted }) => ({ params: { collection_id: granted } }),
    verify: ({ list }, _caller, { people }) => {
      const ids = list.map((entry) => entry.client_id);
      expect(ids).toContain(people.granted.id);
      expect(ids).not.toContain(people.client.id);
      expect(ids).not.toContain(people.deleted.id);
      expect(ids).toContain(people.suspended.id);
      expect(ids).not.toContain(people.expiredGrant.id);
    },
    badQueries: ['?include=everything'],
  },
  'POST /api/access/grants': {
    response: object(['granted', 'changed', 'already', 'not_found', 'ambiguous', 'retired', 'outcomes'], { outcomes }),
    target: ({ people, granted }) => ({ json: { profiles: [people.granted.id], collections: [granted] } }),
    freshTarget: async ({ make, granted }) => ({
      json: { profiles: [(await make.person('pending', granted)).email], collections: [granted] },
    }),
    verify: ({ body }) => expect(body.granted).toBe(1),
    badBodies: [...badLists, { profiles: ['x'], collections: ['x'], expires_at: 'soon' }],
  },
  'DELETE /api/access/grants': {
    response: object(['revoked', 'not_granted', 'not_found', 'ambiguous', 'outcomes'], { outcomes }),
    target: ({ people, hidden }) => ({ json: { profiles: [people.granted.id], collections: [hidden] } }),
    freshTarget: async ({ make, granted }) => ({
      json: { profiles: [(await make.person('pendingGranted', granted)).email], collections: [granted] },
    }),
    verify: ({ body }) => expect(body.revoked).toBe(1),
    badBodies: badLists,
  },
  'GET /api/access/matrix': {
    response: listOf([
      ...['client_id', 'email', 'full_name', 'company_name', 'registration_status', 'suspended_at'],
      ...['collection_id', 'collection_name', 'via', 'group_id', 'group_name', 'granted_at', 'expires_at'],
    ]),
    target: ({ granted, people }) => ({ query: `?limit=1000&collection=${granted}&profile=${people.suspended.email}` }),
    verify: ({ list }, _caller, { granted, people }) =>
      expect(list).toMatchObject([
        { client_id: people.suspended.id, collection_id: granted, suspended_at: expect.any(String) as string },
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
