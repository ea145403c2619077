import { expect } from 'vitest';
import { groupCallers, type CallerName } from '../callers.ts';
import type { Endpoints } from '../endpoint.ts';
import { errors, type ExpectedError } from '../errors.ts';
import { text } from '../shapes.ts';
import { unknownId, type World } from '../world.ts';

const fields = [
  'id',
  'status',
  'collection_id',
  'collection_name',
  'profile_id',
  'profile_email',
  'profile_name',
  'reason',
  'duration_days',
  'created_at',
  'decided_at',
  'answer',
];

const assignError = (
  error: ExpectedError,
  ...names: readonly CallerName[]
): Partial<Record<CallerName, ExpectedError>> => Object.fromEntries(names.map((name) => [name, error]));

const unapprovedCallers = [
  'a pending profile',
  'a pending profile with a grant',
  'a rejected profile',
  'a rejected profile with a grant',
] as const;
const admins = ['the first admin', 'a promoted client, by token'] as const;
const otherClients = [
  ...unapprovedCallers,
  'a client without a grant, by token',
  'a client without a grant, by key',
  'a client without a grant, by key in one string',
  'a demoted admin, by token',
  'a demoted admin, by its reactivated key',
  'a client with a grant and an expired key, by token',
  'a client whose grant has expired, by token',
  'a client whose grant has expired, by key',
  ...groupCallers,
] as const;

const sharedTarget = ({ request }: World) => ({ params: { request_id: request } });
const createTargetByGranted = async ({ make, people }: World) => ({
  params: { request_id: await make.request(people.granted) },
});
const createTargetByOther = async ({ make, granted }: World) => ({
  params: { request_id: await make.request(await make.person('client', granted)) },
});
const reason = 'To know when it rains';

export const requestEndpoints: Endpoints = {
  'GET /api/catalog': {
    target: () => ({ query: '?limit=1000' }),
    specialErrors: assignError(errors.approvalRequired, ...unapprovedCallers),
    verify: ({ list }, caller, { granted, hidden, discoverable, people }) => {
      const access = (id: string) => list.find((line) => line.id === id)?.access;
      const isAdmin = caller.role === 'admin';
      const grantedPeople = [people.granted, people.demoted, people.expiredKey, people.member, people.memberByClaim];
      const isGranted = isAdmin || grantedPeople.some(({ id }) => id === caller.id);
      expect([access(granted), access(hidden), access(discoverable)]).toEqual([
        isGranted ? 'granted' : undefined,
        isAdmin ? 'granted' : undefined,
        isAdmin ? 'granted' : caller.id === people.granted.id ? 'requested' : 'none',
      ]);
    },
    badQueries: ['?limit=0', '?limit=1001', '?limit=many', '?cursor=x', `?q=${'x'.repeat(201)}`, '?q=a&q=b', '?q=%00'],
  },
  'GET /api/access/requests': {
    response: text('application/json; charset=utf-8', /^\[.*\]$/),
    target: () => ({ query: '?limit=1000' }),
    verify: ({ list }, caller, { request, people }) => {
      expect(list.some(({ id }) => id === request)).toBe(caller.role === 'admin' || caller.id === people.granted.id);
      if (caller.role === 'client') expect(list.filter(({ profile_id }) => profile_id !== caller.id)).toEqual([]);
      for (const line of list) expect(Object.keys(line)).toEqual(fields);
    },
    badQueries: [
      '?status=open',
      '?status=pending,denied',
      '?profile_id=me',
      '?collection_id=weather',
      '?limit=0',
      '?limit=1001',
      '?cursor=1',
      `?cursor=1234567890123456.${unknownId}`,
    ],
  },
  'POST /api/access/requests': {
    target: ({ discoverable }) => ({ json: { collection_id: discoverable, reason } }),
    freshTarget: async ({ make }) => ({
      json: { collection_id: await make.collection(make.nextName(), { discoverable: true }), reason, duration_days: 7 },
    }),
    specialErrors: {
      ...assignError(errors.approvalRequired, ...unapprovedCallers),
      ...assignError(errors.needsNoGrant, ...admins),
    },
    verify: ({ body }, caller) =>
      expect(body).toMatchObject({
        ...{ status: 'pending', profile_id: caller.id, profile_email: caller.email, reason, duration_days: 7 },
        ...{ decided_at: null, answer: null },
      }),
    badBodies: [
      {},
      { reason },
      { collection_id: unknownId },
      { collection_id: 'weather', reason },
      { collection_id: unknownId, reason: '' },
      { collection_id: unknownId, reason: 'x'.repeat(1_001) },
      { collection_id: unknownId, reason: 'a\0b' },
      { collection_id: unknownId, reason, duration_days: 0 },
      { collection_id: unknownId, reason, duration_days: 3_651 },
      { collection_id: unknownId, reason, duration_days: 1.5 },
      { collection_id: unknownId, reason, duration_days: '7' },
    ],
  },
  'GET /api/access/requests/{request_id}': {
    target: sharedTarget,
    specialErrors: assignError(errors.requestNotFound, ...otherClients),
    verify: ({ body }, _caller, { request, discoverable, people }) =>
      expect(body).toMatchObject({ id: request, collection_id: discoverable, profile_id: people.granted.id }),
  },
  'DELETE /api/access/requests/{request_id}': {
    target: sharedTarget,
    freshTarget: createTargetByGranted,
    specialErrors: assignError(errors.requestNotFound, ...otherClients, ...admins),
  },
  'POST /api/access/requests/{request_id}/approve': {
    target: sharedTarget,
    freshTarget: createTargetByOther,
    ownerError: errors.requestNotFound,
    verify: ({ body }) => expect(body).toMatchObject({ status: 'approved', expires_at: null }),
    badBodies: [
      { expires_at: 7 },
      { expires_at: 'tomorrow' },
      { expires_at: '2001-01-31T09:30:00Z' },
      { expires_at: true },
    ],
  },
  'POST /api/access/requests/{request_id}/deny': {
    target: sharedTarget,
    freshTarget: createTargetByOther,
    ownerError: errors.requestNotFound,
    verify: ({ body }) => expect(body).toMatchObject({ status: 'denied', answer: null }),
    badBodies: [{ reason: 7 }, { reason: 'x'.repeat(1_001) }, { reason: 'a\0b' }],
  },
};
