import type { Target } from './endpoint.ts';
import { errors, type ExpectedError } from './errors.ts';
import { unknownId, type World } from './world.ts';

/** A valid request that conflicts with the stored state. It passes every other check before it is rejected. */
export interface Conflict {
  readonly name: string;
  readonly endpoint: string;
  readonly target: (world: World) => Target;
  readonly error: ExpectedError;
}

const createConflict = (
  name: string,
  endpoint: string,
  error: ExpectedError,
  target: Conflict['target'],
): Conflict => ({
  name,
  endpoint,
  error,
  target,
});
const createConflictError = (detail: string): ExpectedError => ({ status: 409, detail });
const toUserTarget = (user_id: string): Target => ({ params: { user_id } });
const rule = { allowed_limit: 5, window_seconds: 60 };
const registerEndpoint = 'POST /api/profiles/register';
const approveEndpoint = 'POST /api/profiles/{user_id}/approve';
const rejectEndpoint = 'POST /api/profiles/{user_id}/reject';
const rotateEndpoint = 'POST /api/profiles/{user_id}/credentials';
const changeExpiryEndpoint = 'PUT /api/profiles/{user_id}/credentials';
const suspendEndpoint = 'POST /api/profiles/{user_id}/suspend';
const reopenEndpoint = 'POST /api/profiles/{user_id}/reopen';
const resumeEndpoint = 'POST /api/profiles/{user_id}/resume';
const assignEndpoint = 'PUT /api/profiles/{user_id}/tier';
const overrideEndpoint = 'POST /api/rate-limits/overrides';
const requestEndpoint = 'POST /api/access/requests';
const reason = 'To know when it rains';
const grantEndpoint = '/api/access/clients/{client_profile_id}/collections/{collection_id}';

const groups = '/api/groups/{group_id}';
const member = `${groups}/members/{profile_id}`;
const groupGrant = `${groups}/collections/{collection_id}`;

export const conflicts: readonly Conflict[] = [
  createConflict(
    'a taken email with different capitalization',
    registerEndpoint,
    createConflictError('Email already registered'),
    ({ people }) => ({
      json: { firebase_uid: 'somebody-else', email: people.pending.email.toUpperCase(), full_name: 'Somebody Else' },
    }),
  ),
  createConflict(
    'a taken identity',
    registerEndpoint,
    createConflictError('Identity already registered'),
    ({ people }) => ({
      json: { firebase_uid: people.pending.uid, email: 'somebody-else@example.com', full_name: 'Somebody Else' },
    }),
  ),
  createConflict('an approved profile', approveEndpoint, createConflictError('User already approved'), ({ people }) =>
    toUserTarget(people.client.id),
  ),
  createConflict('a rejected profile', approveEndpoint, createConflictError('User already rejected'), ({ people }) =>
    toUserTarget(people.rejected.id),
  ),
  createConflict('an approved profile', rejectEndpoint, createConflictError('User already approved'), ({ people }) =>
    toUserTarget(people.client.id),
  ),
  createConflict('a rejected profile', rejectEndpoint, createConflictError('User already rejected'), ({ people }) =>
    toUserTarget(people.rejected.id),
  ),
  createConflict('a pending profile', reopenEndpoint, createConflictError('User not rejected'), ({ people }) =>
    toUserTarget(people.pending.id),
  ),
  createConflict('an approved profile', reopenEndpoint, createConflictError('User already approved'), ({ people }) =>
    toUserTarget(people.client.id),
  ),
  createConflict('a deleted profile', approveEndpoint, errors.userNotFound, ({ people }) =>
    toUserTarget(people.deleted.id),
  ),
  createConflict('a pending profile', rotateEndpoint, errors.notApproved, ({ people }) =>
    toUserTarget(people.pending.id),
  ),
  createConflict('an admin', rotateEndpoint, errors.adminHasNoKey, ({ people }) => toUserTarget(people.promoted.id)),
  createConflict(
    'a rejected profile',
    'PUT /api/profiles/{user_id}/role',
    createConflictError('User already rejected'),
    ({ people }) => ({
      ...toUserTarget(people.rejected.id),
      json: { role: 'admin' },
    }),
  ),
  createConflict('an unknown tier', assignEndpoint, errors.tierNotFound, ({ people }) => ({
    ...toUserTarget(people.client.id),
    json: { tier: 'no-such-tier' },
  })),
  createConflict(
    'the name of a different group with different capitalization',
    'POST /api/service-accounts',
    createConflictError('Service account already exists'),
    ({ people }) => ({ json: { name: people['audit:read'].uid.toUpperCase(), scopes: ['audit:read'] } }),
  ),
  createConflict(
    'the name of a different account',
    'PUT /api/service-accounts/{account_id}',
    createConflictError('Service account already exists'),
    ({ people }) => ({ params: { account_id: people['audit:read'].id }, json: { name: people['usage:read'].uid } }),
  ),
  createConflict(
    'an existing tier',
    'POST /api/rate-limits/tiers',
    createConflictError('Tier already exists'),
    ({ tier }) => ({
      json: { tier, ...rule },
    }),
  ),
  createConflict('an unknown client', overrideEndpoint, errors.clientNotFound, () => ({
    json: { client_id: unknownId, ...rule },
  })),
  createConflict('a client identifier that is not a UUID', overrideEndpoint, errors.clientNotFound, () => ({
    json: { client_id: 'nobody', ...rule },
  })),
  createConflict('a deleted client', overrideEndpoint, errors.clientNotFound, ({ people }) => ({
    json: { client_id: people.deleted.key?.clientId, ...rule },
  })),
  createConflict('a taken name', 'POST /api/groups', createConflictError('Group already exists'), () => ({
    json: { name: 'Standing crew' },
  })),
  createConflict('an unknown tier', 'POST /api/groups', errors.tierNotFound, ({ make }) => ({
    json: { name: make.nextName(), tier: 'no-such-tier' },
  })),
  createConflict('an unknown tier', `PUT ${groups}`, errors.tierNotFound, ({ group }) => ({
    params: { group_id: group },
    json: { tier: 'no-such-tier' },
  })),
  createConflict('an unknown tier', `PUT ${groups}/tier`, errors.tierNotFound, ({ group }) => ({
    params: { group_id: group },
    json: { tier: 'no-such-tier' },
  })),
  createConflict(
    'a member',
    `POST ${member}`,
    createConflictError('User already in the group'),
    ({ group, people }) => ({
      params: { group_id: group, profile_id: people.member.id },
    }),
  ),
  createConflict('a former member', `DELETE ${member}`, errors.memberNotFound, ({ group, people }) => ({
    params: { group_id: group, profile_id: people.formerMember.id },
  })),
  createConflict('a former member by claim', `DELETE ${member}`, errors.memberNotFound, ({ group, people }) => ({
    params: { group_id: group, profile_id: people.formerMemberByClaim.id },
  })),
  createConflict(
    'a member by claim',
    `DELETE ${member}`,
    createConflictError("The identity provider's claim puts the user into the group: remove it there"),
    ({ group, people }) => ({ params: { group_id: group, profile_id: people.memberByClaim.id } }),
  ),
  createConflict('a deleted profile', `POST ${member}`, errors.userNotFound, ({ group, people }) => ({
    params: { group_id: group, profile_id: people.deleted.id },
  })),
  createConflict(
    'a granted pair',
    `POST ${groupGrant}`,
    createConflictError('Client already has access'),
    ({ group, granted }) => ({
      params: { group_id: group, collection_id: granted },
    }),
  ),
  createConflict('a pair without a grant', `DELETE ${groupGrant}`, errors.grantNotFound, ({ group, hidden }) => ({
    params: { group_id: group, collection_id: hidden },
  })),
  createConflict('a pair without a grant', `PUT ${groupGrant}`, errors.grantNotFound, ({ group, hidden }) => ({
    params: { group_id: group, collection_id: hidden },
    json: { expires_at: null },
  })),
  createConflict(
    'a granted pair',
    `POST ${grantEndpoint}`,
    createConflictError('Client already has access'),
    ({ people, granted }) => ({
      params: { client_profile_id: people.granted.id, collection_id: granted },
    }),
  ),
  createConflict('a pair without a grant', `DELETE ${grantEndpoint}`, errors.grantNotFound, ({ people, hidden }) => ({
    params: { client_profile_id: people.granted.id, collection_id: hidden },
  })),
  createConflict('a pair without a grant', `PUT ${grantEndpoint}`, errors.grantNotFound, ({ people, hidden }) => ({
    params: { client_profile_id: people.granted.id, collection_id: hidden },
    json: { expires_at: null },
  })),
  createConflict(
    'a grant that has expired',
    `DELETE ${grantEndpoint}`,
    errors.grantNotFound,
    ({ people, granted }) => ({
      params: { client_profile_id: people.expiredGrant.id, collection_id: granted },
    }),
  ),
  createConflict('a suspended profile', suspendEndpoint, createConflictError('User already suspended'), ({ people }) =>
    toUserTarget(people.suspended.id),
  ),
  createConflict('a suspended admin', suspendEndpoint, createConflictError('User already suspended'), ({ people }) =>
    toUserTarget(people.suspendedAdmin.id),
  ),
  createConflict(
    'a profile that is not suspended',
    resumeEndpoint,
    createConflictError('User not suspended'),
    ({ people }) => toUserTarget(people.client.id),
  ),
  createConflict('a deleted profile', suspendEndpoint, errors.userNotFound, ({ people }) =>
    toUserTarget(people.deleted.id),
  ),
  createConflict('a pending profile', changeExpiryEndpoint, errors.notApproved, ({ people }) => ({
    ...toUserTarget(people.pending.id),
    json: { expires_at: null },
  })),
  createConflict('an admin', changeExpiryEndpoint, errors.adminHasNoKey, ({ people }) => ({
    ...toUserTarget(people.promoted.id),
    json: { expires_at: null },
  })),
  createConflict(
    'a collection that was already requested',
    requestEndpoint,
    errors.alreadyRequested,
    ({ discoverable }) => ({
      json: { collection_id: discoverable, reason },
    }),
  ),
  createConflict('a granted collection', requestEndpoint, errors.alreadyGranted, ({ granted }) => ({
    json: { collection_id: granted, reason },
  })),
  ...[({ hidden }: World) => hidden, () => unknownId].map((collectionOf, index) =>
    createConflict(
      `a ${index === 0 ? 'hidden' : 'missing'} collection`,
      requestEndpoint,
      errors.collectionNotFound,
      (world) => ({
        json: { collection_id: collectionOf(world), reason },
      }),
    ),
  ),
  ...[
    `POST ${grantEndpoint}`,
    `DELETE ${grantEndpoint}`,
    'GET /api/access/clients/{client_profile_id}/collections',
  ].flatMap((endpoint) => [
    createConflict('an admin instead of a client', endpoint, errors.clientNotFound, ({ people, granted }) => ({
      params: { client_profile_id: people.promoted.id, collection_id: granted },
    })),
    createConflict(
      'a client identifier instead of a profile id',
      endpoint,
      errors.clientNotFound,
      ({ people, granted }) => ({
        params: { client_profile_id: people.granted.key?.clientId ?? '', collection_id: granted },
      }),
    ),
  ]),
];
