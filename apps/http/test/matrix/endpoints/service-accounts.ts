import { expect } from 'vitest';
import type { Endpoints } from '../endpoint.ts';
import type { World } from '../world.ts';
const sharedTarget = ({ people }: World) => ({ params: { account_id: people['audit:read'].id } });
const createTarget = async ({ make, granted }: World) => ({
  params: { account_id: (await make.person('audit:read', granted)).id },
});
const badFields = [
  { name: 7 },
  { name: 'x'.repeat(201) },
  { name: 'two\nlines' },
  { scopes: 'audit:read' },
  { scopes: [] },
  { scopes: ['audit:write'] },
  { scopes: ['audit:read', 'audit:read'] },
  { expires_at: 'tomorrow' },
  { expires_at: '2020-01-01' },
];

export const serviceAccountEndpoints: Endpoints = {
  'POST /api/service-accounts': {
    target: ({ make }) => ({ json: { name: make.nextName(), scopes: ['audit:read', 'catalog:read'] } }),
    verify: ({ body, headers }, caller) => {
      expect(body).toMatchObject({ scopes: ['catalog:read', 'audit:read'], created_by: caller.id, expires_at: null });
      expect(body.token).toMatch(/^portico_sa_[0-9A-Za-z]{71}$/);
      expect(headers['cache-control']).toBe('no-store');
    },
    badBodies: [
      {},
      { name: 'no-scopes' },
      { scopes: ['audit:read'] },
      ...badFields.map((fields) => ({ name: 'robot', scopes: ['audit:read'], ...fields })),
    ],
  },
  'GET /api/service-accounts': {
    target: () => ({}),
    verify: ({ list }, _caller, { people }) => {
      const account = list.find(({ id }) => id === people['limits:write'].id);
      expect(account).toMatchObject({ scopes: ['limits:write'] });
      expect(list.map(({ id }) => id)).not.toContain(people.revokedAccount.id);
    },
  },
  'GET /api/service-accounts/{account_id}': {
    target: sharedTarget,
    verify: ({ body }) => expect(body).toMatchObject({ scopes: ['audit:read'], expires_at: null }),
  },
  'PUT /api/service-accounts/{account_id}': {
    target: (world) => ({ ...sharedTarget(world), json: { scopes: ['usage:read'] } }),
    freshTarget: async (world) => ({ ...(await createTarget(world)), json: { scopes: ['usage:read'] } }),
    verify: ({ body }) => expect(body.scopes).toEqual(['usage:read']),
    badBodies: badFields,
  },
  'POST /api/service-accounts/{account_id}/rotate': {
    target: (world) => ({ ...sharedTarget(world), json: {} }),
    freshTarget: async (world) => ({ ...(await createTarget(world)), json: { grace_seconds: 604_800 } }),
    verify: ({ body, headers }) => {
      expect(body.token).toMatch(/^portico_sa_[0-9A-Za-z]{71}$/);
      expect(headers['cache-control']).toBe('no-store');
    },
    badBodies: [{ grace_seconds: -1 }, { grace_seconds: 604_801 }, { grace_seconds: '1' }],
  },
  'DELETE /api/service-accounts/{account_id}': {
    target: sharedTarget,
    freshTarget: createTarget,
  },
};
