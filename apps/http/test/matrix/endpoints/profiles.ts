import { expect } from 'vitest';
import { callerNames, callers } from '../callers.ts';
import type { Endpoint, Endpoints } from '../endpoint.ts';
import { errors } from '../errors.ts';
import { listOf, object } from '../shapes.ts';
import type { World } from '../world.ts';

const identity = ['id', 'email', 'full_name', 'company_name', 'role', 'registration_status'];
const approvedAtOf = ({ registration_status: status }: Readonly<Record<string, unknown>>) =>
  status === 'approved' ? ['approved_at'] : [];

const fullFields = (entry: Readonly<Record<string, unknown>>) => [
  ...identity,
  'client_id',
  'created_at',
  'updated_at',
  ...approvedAtOf(entry),
];

/** A valid token without a profile gets a 404, not a 401. */
const strangerErrors: Endpoint['specialErrors'] = Object.fromEntries(
  callerNames
    .filter((name) => callers[name].credential === "a stranger's token")
    .map((name) => [name, errors.userNotFound]),
);

const registration = ({ make }: World) => {
  const uid = make.nextName();
  return { firebase_uid: uid, email: `${uid}@example.com`, full_name: 'Somebody New' };
};
const badNames = [{ full_name: 7 }, { full_name: 'x'.repeat(201) }, { company_name: 'x'.repeat(201) }];

const pendingTarget = ({ people }: World) => ({ params: { user_id: people.pending.id } });
const createPendingTarget = async ({ make, granted }: World) => ({
  params: { user_id: (await make.person('pending', granted)).id },
});

export const profileEndpoints: Endpoints = {
  'POST /api/profiles/register': {
    target: (world) => ({ json: registration(world) }),
    verify: ({ body }) => expect(body).toMatchObject({ role: 'client', registration_status: 'pending' }),
    badBodies: [
      {},
      { firebase_uid: 'no-email', full_name: 'Somebody' },
      { firebase_uid: 1, email: 'x', full_name: '' },
    ],
  },
  'GET /api/profiles/me': {
    response: object((entry) => [...identity, 'client_id', 'created_at', 'updated_at', ...approvedAtOf(entry)]),
    target: () => ({}),
    specialErrors: strangerErrors,
    verify: ({ body }, caller) =>
      expect(body).toMatchObject({
        id: caller.id,
        email: caller.email,
        role: caller.role,
        registration_status: caller.status,
        client_id: caller.role === 'client' ? (caller.key?.clientId ?? null) : null,
      }),
    badQueries: ['?include=everything', '?include=tier,everything', '?include=tier,'],
  },
  'PUT /api/profiles/me': {
    target: () => ({ json: { full_name: 'Another Name', company_name: 'Example Ltd.' } }),
    changesCaller: true,
    specialErrors: strangerErrors,
    verify: ({ body }, caller) =>
      expect(body).toMatchObject({ id: caller.id, full_name: 'Another Name', company_name: 'Example Ltd.' }),
    badBodies: badNames,
  },
  'POST /api/profiles/me/credentials': {
    target: () => ({}),
    changesCaller: true,
    specialErrors: {
      'a pending profile': errors.notApproved,
      'a pending profile with a grant': errors.notApproved,
      'a rejected profile': errors.notApproved,
      'a rejected profile with a grant': errors.notApproved,
      'the first admin': errors.adminHasNoKey,
      'a promoted client, by token': errors.adminHasNoKey,
    },
    verify: ({ body }, caller) => expect(body.client_id).toBe(caller.key?.clientId),
    badBodies: [{ grace_seconds: -1 }, { grace_seconds: '60' }, { grace_seconds: 604_801 }],
  },
  'GET /api/profiles/': {
    response: listOf([...identity, 'client_id', 'created_at']),
    target: () => ({}),
    badQueries: [
      '?include=everything',
      '?include=bound,everything',
      '?include=,tier',
      '?include=tier&include=bound',
      '?registration_status=new',
      '?suspended=some',
      '?role=owner',
      '?order=best',
      '?limit=0',
      '?limit=1001',
      '?cursor=x',
      '?include_total=some',
    ],
  },
  'GET /api/profiles/{user_id}': {
    response: object((entry) => fullFields(entry)),
    target: pendingTarget,
    verify: ({ body }, _caller, { people }) => expect(body).toMatchObject({ id: people.pending.id, role: 'client' }),
    badQueries: ['?include=everything', '?include=tier&include=bound'],
  },
  'POST /api/profiles/{user_id}/approve': {
    target: pendingTarget,
    freshTarget: createPendingTarget,
  },
  'POST /api/profiles/{user_id}/reject': {
    target: pendingTarget,
    freshTarget: createPendingTarget,
    badBodies: [{ reason: 7 }, { reason: 'x'.repeat(1_001) }],
  },
  'POST /api/profiles/{user_id}/credentials': {
    target: ({ people }) => ({ params: { user_id: people.client.id } }),
    freshTarget: async ({ make, granted }) => ({ params: { user_id: (await make.person('client', granted)).id } }),
    badBodies: [{ grace_seconds: -1 }, { grace_seconds: 0.5 }, { expires_at: 'soon' }, { expires_at: '2020-01-01' }],
  },
  'PUT /api/profiles/{user_id}/credentials': {
    response: object((entry) => [...fullFields(entry), 'key_expires_at']),
    target: ({ people }) => ({ params: { user_id: people.client.id }, json: { expires_at: null } }),
    freshTarget: async ({ make, granted }) => ({
      params: { user_id: (await make.person('client', granted)).id },
      json: { expires_at: '2999-12-31' },
    }),
    verify: ({ body }) => expect(body.key_expires_at).toBe('3000-01-01T00:00:00.000Z'),
    badBodies: [{}, { expires_at: 'soon' }, { expires_at: '2020-01-01' }, { expires_at: 7 }],
  },
  'POST /api/profiles/approve': {
    response: object(['approved', 'already_approved', 'already_rejected', 'not_found', 'failed', 'outcomes'], {
      outcomes: ['outcome', 'profile_id', 'email', 'client_id', 'client_secret'],
    }),
    target: ({ people }) => ({ json: { profiles: [people.pending.id] } }),
    freshTarget: async ({ make, granted }) => ({ json: { profiles: [(await make.person('pending', granted)).email] } }),
    verify: ({ body, headers }) => {
      expect(body.approved).toBe(1);
      expect(headers['cache-control']).toBe('no-store');
    },
    badBodies: [{}, { profiles: [] }, { profiles: [''] }, { profiles: Array<string>(51).fill('x') }],
  },
  'POST /api/profiles/{user_id}/suspend': {
    response: object((entry) => [...fullFields(entry), 'suspended_at']),
    target: pendingTarget,
    freshTarget: createPendingTarget,
    verify: ({ body }) =>
      expect(body).toMatchObject({ registration_status: 'pending', suspended_at: expect.any(String) as string }),
    badBodies: [{ reason: 7 }, { reason: 'x'.repeat(1_001) }],
  },
  'POST /api/profiles/{user_id}/reopen': {
    response: object(fullFields),
    target: ({ people }) => ({ params: { user_id: people.rejected.id } }),
    freshTarget: async ({ make, granted }) => ({ params: { user_id: (await make.person('rejected', granted)).id } }),
    verify: ({ body }) => expect(body.registration_status).toBe('pending'),
  },
  'POST /api/profiles/{user_id}/resume': {
    response: object((entry) => [...fullFields(entry), 'suspended_at']),
    target: ({ people }) => ({ params: { user_id: people.suspended.id } }),
    freshTarget: async ({ make, granted }) => ({ params: { user_id: (await make.person('suspended', granted)).id } }),
    verify: ({ body }) => expect(body).toMatchObject({ registration_status: 'approved', suspended_at: null }),
  },
  'PUT /api/profiles/{user_id}/role': {
    response: object((entry) => [...identity, 'client_id', 'created_at', 'updated_at', ...approvedAtOf(entry)]),
    target: (world) => ({ ...pendingTarget(world), json: { role: 'admin' } }),
    freshTarget: async (world) => ({ ...(await createPendingTarget(world)), json: { role: 'admin' } }),
    verify: ({ body }) =>
      expect(body).toMatchObject({ role: 'admin', registration_status: 'approved', client_id: null }),
    badBodies: [{}, { role: 'owner' }, { role: null }],
  },
  'PUT /api/profiles/{user_id}/tier': {
    response: object((entry) => [...identity, 'client_id', 'created_at', 'updated_at', 'tier', ...approvedAtOf(entry)]),
    target: (world) => ({ ...pendingTarget(world), json: { tier: world.tier } }),
    freshTarget: async (world) => ({ ...(await createPendingTarget(world)), json: { tier: world.tier } }),
    verify: ({ body }, _caller, { tier }) => expect(body.tier).toBe(tier),
    badBodies: [{}, { tier: 7 }],
  },
  'DELETE /api/profiles/{user_id}': {
    target: pendingTarget,
    freshTarget: createPendingTarget,
  },
};
