import { expect } from 'vitest';
import { groupCallers } from '../callers.ts';
import type { Endpoints } from '../endpoint.ts';
import { errors } from '../errors.ts';
import { listOf } from '../shapes.ts';
import type { World } from '../world.ts';

const limit = ['allowed_limit', 'window_seconds'];
const override = ['id', 'client_id', ...limit, 'is_active', 'created_at', 'updated_at'];
const badLimits = [
  { allowed_limit: 0 },
  { allowed_limit: 1_000_000_001 },
  { allowed_limit: '5' },
  { window_seconds: 0 },
  { window_seconds: 2_678_401 },
  { window_seconds: 1.5 },
  { is_active: 'yes' },
];
const rule = { allowed_limit: 5, window_seconds: 60 };

const sharedTierTarget = ({ tier: name }: World) => ({ params: { tier: name } });
const createTierTarget = async ({ make }: World) => ({ params: { tier: await make.tier() } });
const sharedOverrideTarget = ({ override: id }: World) => ({ params: { id } });
const createOverrideTarget = async ({ make, granted }: World) => ({
  params: { id: await make.override((await make.person('client', granted)).id) },
});

const { adminRequired } = errors;
/** Admitted callers that are neither an admin nor the client itself. */
const otherClients = {
  'a pending profile': adminRequired,
  'a pending profile with a grant': adminRequired,
  'a rejected profile': adminRequired,
  'a rejected profile with a grant': adminRequired,
  'a client without a grant, by token': adminRequired,
  'a client without a grant, by key': adminRequired,
  'a client without a grant, by key in one string': adminRequired,
  'a client with a grant and an expired key, by token': adminRequired,
  'a client whose grant has expired, by token': adminRequired,
  'a client whose grant has expired, by key': adminRequired,
  'a demoted admin, by token': adminRequired,
  'a demoted admin, by its reactivated key': adminRequired,
  ...Object.fromEntries(groupCallers.map((name) => [name, adminRequired])),
};

export const limitEndpoints: Endpoints = {
  'GET /api/rate-limits/standing': {
    target: () => ({ query: '?at_least=0&limit=1000' }),
    verify: ({ body }, _caller, { people }) => {
      const client = (body.clients as { profile_id: string }[]).find(
        ({ profile_id }) => profile_id === people.granted.id,
      );
      expect(client).toMatchObject({
        client_id: people.granted.key?.clientId,
        email: people.granted.email,
        source: 'default',
        allowed_limit: 1_000_000,
        window_seconds: 60,
      });
    },
    badQueries: [
      '?at_least=1.1',
      '?at_least=-1',
      '?at_least=most',
      '?at_least=.5',
      '?at_least=0,5',
      '?at_least=0x1',
      '?limit=0',
      '?limit=1001',
    ],
    volatileFields: ['scope', 'total', 'clients'],
  },
  'GET /api/rate-limits/tiers': { target: () => ({}) },
  'GET /api/rate-limits/tiers/active/all': {
    target: () => ({}),
    verify: ({ list }, _caller, world) => expect(list.map((entry) => entry.tier)).toContain(world.tier),
  },
  'POST /api/rate-limits/tiers': {
    target: ({ make }) => ({ json: { tier: make.nextName(), ...rule } }),
    verify: ({ body }) => expect(body).toMatchObject({ ...rule, description: null, is_active: true }),
    badBodies: [
      {},
      { tier: 'gold' },
      { tier: 'Not A Name', ...rule },
      ...badLimits.map((fields) => ({ tier: 'gold', ...rule, ...fields })),
    ],
  },
  'PUT /api/rate-limits/tiers/{tier}': {
    target: (world) => ({ ...sharedTierTarget(world), json: { allowed_limit: 7 } }),
    freshTarget: async (world) => ({ ...(await createTierTarget(world)), json: { allowed_limit: 7 } }),
    verify: ({ body }) => expect(body).toMatchObject({ allowed_limit: 7, window_seconds: 60 }),
    badBodies: badLimits,
  },
  'DELETE /api/rate-limits/tiers/{tier}': {
    target: sharedTierTarget,
    freshTarget: createTierTarget,
  },
  'GET /api/rate-limits/overrides': {
    response: listOf(override),
    target: () => ({ query: '?active_only=TRUE' }),
    verify: ({ list }, _caller, { people }) => {
      const overrides = list.filter((entry) => entry.client_id === people.client.key?.clientId);
      expect(overrides).toMatchObject([{ is_active: true }]);
    },
    badQueries: [
      '?limit=0',
      '?limit=1001',
      '?cursor=x',
      '?include=all',
      '?include_total=some',
      '?active_only=perhaps',
      '?active_only=true&active_only=false',
    ],
  },
  'POST /api/rate-limits/overrides': {
    target: ({ people }) => ({ json: { client_id: people.client.key?.clientId, ...rule } }),
    freshTarget: async ({ make, granted }) => {
      const { key } = await make.person('client', granted);
      return { json: { client_id: key?.clientId, ...rule } };
    },
    verify: ({ body }) => expect(body).toMatchObject({ ...rule, is_active: true }),
    badBodies: [
      {},
      { client_id: 'nobody' },
      { client_id: 7, ...rule },
      ...badLimits.map((fields) => ({ client_id: 'nobody', ...rule, ...fields })),
    ],
  },
  'PUT /api/rate-limits/overrides/{id}': {
    target: (world) => ({ ...sharedOverrideTarget(world), json: { is_active: false } }),
    freshTarget: async (world) => ({ ...(await createOverrideTarget(world)), json: { is_active: false } }),
    verify: ({ body }) => expect(body).toMatchObject({ is_active: false, window_seconds: 60 }),
    badBodies: badLimits,
    volatileFields: ['id'],
  },
  'DELETE /api/rate-limits/overrides/{id}': {
    target: sharedOverrideTarget,
    freshTarget: createOverrideTarget,
  },
  'GET /api/rate-limits/effective/{client_id}': {
    target: ({ people }) => ({ params: { client_id: people.granted.key?.clientId ?? '' } }),
    specialErrors: otherClients,
    verify: ({ body }, _caller, { people }) =>
      expect(body).toMatchObject({
        client_id: people.granted.key?.clientId,
        source: 'default',
        tier: null,
        override_id: null,
      }),
    volatileFields: ['remaining', 'reset_seconds'],
  },
};
