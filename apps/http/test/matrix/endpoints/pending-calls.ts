import { expect } from 'vitest';
import { groupCallers, type CallerName } from '../callers.ts';
import type { Endpoints } from '../endpoint.ts';
import { errors, type ExpectedError } from '../errors.ts';
import { text } from '../shapes.ts';
import { unknownId, type World } from '../world.ts';

const fields = [
  'call_id',
  'state',
  'collection_id',
  'collection_name',
  'operation_key',
  'method',
  'path',
  'profile_id',
  'email',
  'requested_at',
  'expires_at',
  'decided_at',
  'decided_by',
  'reason',
];

/** Every client except the caller of the held call. */
const otherClients = [
  'a pending profile',
  'a pending profile with a grant',
  'a rejected profile',
  'a rejected profile with a grant',
  'a client without a grant, by token',
  'a client without a grant, by key',
  'a client without a grant, by key in one string',
  'a demoted admin, by token',
  'a demoted admin, by its reactivated key',
  'a client with a grant and an expired key, by token',
  'a client whose grant has expired, by token',
  'a client whose grant has expired, by key',
  ...groupCallers,
] as const satisfies readonly CallerName[];
const notFoundForOthers: Partial<Record<CallerName, ExpectedError>> = Object.fromEntries(
  otherClients.map((name) => [name, errors.callNotFound]),
);

const sharedTarget = ({ call }: World) => ({ params: { call_id: call } });
const createTarget = async ({ make, granted }: World) => ({
  params: { call_id: await make.call(await make.person('granted', granted), granted) },
});

export const pendingCallEndpoints: Endpoints = {
  'GET /api/calls': {
    response: text('application/json; charset=utf-8', /^\[.*\]$/),
    target: () => ({ query: '?limit=1000' }),
    verify: ({ list, text: body }, caller, { call, people }) => {
      expect(list.some(({ call_id }) => call_id === call)).toBe(
        caller.role === 'admin' || caller.id === people.granted.id,
      );
      if (caller.role === 'client') expect(list.filter(({ profile_id }) => profile_id !== caller.id)).toEqual([]);
      for (const line of list) expect(Object.keys(line)).toEqual(fields);
      expect(body).not.toContain('secret-of-the-call');
    },
    badQueries: [
      '?status=open',
      '?status=waiting,denied',
      '?profile_id=me',
      '?collection_id=weather',
      '?limit=0',
      '?limit=1001',
      '?cursor=1',
      `?cursor=1234567890123456.${unknownId}`,
    ],
  },
  'GET /api/calls/{call_id}': {
    target: sharedTarget,
    specialErrors: notFoundForOthers,
    verify: ({ body, text: bodyText }, caller, { call, granted, people }) => {
      expect(body).toMatchObject({ call_id: call, collection_id: granted, profile_id: people.granted.id });
      // Service accounts cannot decide.
      const isPerson =
        caller.id === people.granted.id || caller.id === people.admin.id || caller.id === people.promoted.id;
      expect(bodyText.includes('secret-of-the-call')).toBe(isPerson);
    },
  },
  'POST /api/calls/{call_id}/approve': {
    target: sharedTarget,
    freshTarget: createTarget,
    verify: ({ body }, caller) =>
      expect(body).toMatchObject({ state: 'approved', decided_by: caller.id, reason: null }),
  },
  'POST /api/calls/{call_id}/deny': {
    target: sharedTarget,
    freshTarget: createTarget,
    verify: ({ body }, caller) => expect(body).toMatchObject({ state: 'denied', decided_by: caller.id, reason: null }),
    badBodies: [{ reason: 7 }, { reason: 'x'.repeat(1_001) }, { reason: 'a\0b' }],
  },
};
