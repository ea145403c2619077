import type { Target } from './endpoint.ts';
import { refusals, type Refusal } from './refusals.ts';
import { unknownId, type World } from './world.ts';

/** A valid request that conflicts with the stored state. It passes every other check before it is rejected. */
export interface Conflict {
  readonly name: string;
  readonly endpoint: string;
  readonly target: (world: World) => Target;
  readonly refusal: Refusal;
}

const conflict = (name: string, endpoint: string, refusal: Refusal, target: Conflict['target']): Conflict => ({
  name,
  endpoint,
  refusal,
  target,
});
const conflicting = (detail: string): Refusal => ({ status: 409, detail });
const user = (user_id: string): Target => ({ params: { user_id } });
const rule = { allowed_limit: 5, window_seconds: 60 };
const register = 'POST /api/profiles/register';
const approve = 'POST /api/profiles/{user_id}/approve';
const reject = 'POST /api/profiles/{user_id}/reject';
const rotate = 'POST /api/profiles/{user_id}/credentials';
const expire = 'PUT /api/profiles/{user_id}/credentials';
const suspend = 'POST /api/profiles/{user_id}/suspend';
const reopen = 'POST /api/profiles/{user_id}/reopen';
const resume = 'POST /api/profiles/{user_id}/resume';
const assign = 'PUT /api/profiles/{user_id}/tier';
const override = 'POST /api/rate-limits/overrides';
const ask = 'POST /api/access/requests';
const reason = 'To know when it rains';
const pair = '/api/access/clients/{client_profile_id}/collections/{collection_id}';

const groups = '/api/groups/{group_id}';
const member = `${groups}/members/{profile_id}`;
const groupGrant = `${groups}/collections/{collection_id}`;

export const conflicts: readonly Conflict[] = [
  conflict(
    'a taken e-mail with different capitalization',
    register,
    conflicting('Email already registered'),
    ({ people }) => ({
      json: { firebase_uid: 'somebody-else', email: people.pending.email.toUpperCase(), full_name: 'Somebody Else' },
    }),
  ),
  conflict('a taken identity', register, conflicting('Identity already registered'), ({ people }) => ({
    json: { firebase_uid: people.pending.uid, email: 'somebody-else@example.com', full_name: 'Somebody Else' },
  })),
  conflict('an approved profile', approve, conflicting('User already approved'), ({ people }) =>
    user(people.client.id),
  ),
  conflict('a rejected profile', approve, conflicting('User already rejected'), ({ people }) =>
    user(people.rejected.id),
  ),
  conflict('an approved profile', reject, conflicting('User already approved'), ({ people }) => user(people.client.id)),
  conflict('a rejected profile', reject, conflicting('User already rejected'), ({ people }) =>
    user(people.rejected.id),
  ),
  conflict('a pending profile', reopen, conflicting('User not rejected'), ({ people }) => user(people.pending.id)),
  conflict('an approved profile', reopen, conflicting('User already approved'), ({ people }) => user(people.client.id)),
  conflict('a deleted profile', approve, refusals.userNotFound, ({ people }) => user(people.deleted.id)),
  conflict('a pending profile', rotate, refusals.notApproved, ({ people }) => user(people.pending.id)),
  conflict('an admin', rotate, refusals.adminHasNoKey, ({ people }) => user(people.promoted.id)),
  conflict(
    'a rejected profile',
    'PUT /api/profiles/{user_id}/role',
    conflicting('User already rejected'),
    ({ people }) => ({
      ...user(people.rejected.id),
      json: { role: 'admin' },
    }),
  ),
  conflict('an unknown tier', assign, refusals.tierNotFound, ({ people }) => ({
    ...user(people.client.id),
    json: { tier: 'no-such-tier' },
  })),
  conflict(
    'the name of another group with different capitalization',
    'POST /api/service-accounts',
    conflicting('Service account already exists'),
    ({ people }) => ({ json: { name: people['audit:read'].uid.toUpperCase(), scopes: ['audit:read'] } }),
  ),
  conflict(
    'a name of another',
    'PUT /api/service-accounts/{account_id}',
    conflicting('Service account already exists'),
    ({ people }) => ({ params: { account_id: people['audit:read'].id }, json: { name: people['usage:read'].uid } }),
  ),
  conflict('an existing tier', 'POST /api/rate-limits/tiers', conflicting('Tier already exists'), ({ tier }) => ({
    json: { tier, ...rule },
  })),
  conflict('an unknown client', override, refusals.clientNotFound, () => ({
    json: { client_id: unknownId, ...rule },
  })),
  conflict('a client identifier that is not a UUID', override, refusals.clientNotFound, () => ({
    json: { client_id: 'nobody', ...rule },
  })),
  conflict('a deleted client', override, refusals.clientNotFound, ({ people }) => ({
    json: { client_id: people.deleted.key?.clientId, ...rule },
  })),
  conflict('a taken name', 'POST /api/groups', conflicting('Group already exists'), () => ({
    json: { name: 'Standing crew' },
  })),
  conflict('an unknown tier', 'POST /api/groups', refusals.tierNotFound, ({ make }) => ({
    json: { name: make.nextName(), tier: 'no-such-tier' },
  })),
  conflict('an unknown tier', `PUT ${groups}`, refusals.tierNotFound, ({ group }) => ({
    params: { group_id: group },
    json: { tier: 'no-such-tier' },
  })),
  conflict('an unknown tier', `PUT ${groups}/tier`, refusals.tierNotFound, ({ group }) => ({
    params: { group_id: group },
    json: { tier: 'no-such-tier' },
  })),
  conflict('a member', `POST ${member}`, conflicting('User already in the group'), ({ group, people }) => ({
    params: { group_id: group, profile_id: people.member.id },
  })),
  conflict('a former member', `DELETE ${member}`, refusals.memberNotFound, ({ group, people }) => ({
    params: { group_id: group, profile_id: people.formerMember.id },
  })),
  conflict('a former member by claim', `DELETE ${member}`, refusals.memberNotFound, ({ group, people }) => ({
    params: { group_id: group, profile_id: people.formerMemberByClaim.id },
  })),
  conflict(
    'a member by claim',
    `DELETE ${member}`,
    conflicting("The identity provider's claim puts the user into the group: remove it there"),
    ({ group, people }) => ({ params: { group_id: group, profile_id: people.memberByClaim.id } }),
  ),
  conflict('a deleted profile', `POST ${member}`, refusals.userNotFound, ({ group, people }) => ({
    params: { group_id: group, profile_id: people.deleted.id },
  })),
  conflict('a granted pair', `POST ${groupGrant}`, conflicting('Client already has access'), ({ group, granted }) => ({
    params: { group_id: group, collection_id: granted },
  })),
  conflict('a pair without a grant', `DELETE ${groupGrant}`, refusals.grantNotFound, ({ group, hidden }) => ({
    params: { group_id: group, collection_id: hidden },
  })),
  conflict('a pair without a grant', `PUT ${groupGrant}`, refusals.grantNotFound, ({ group, hidden }) => ({
    params: { group_id: group, collection_id: hidden },
    json: { expires_at: null },
  })),
  conflict('a granted pair', `POST ${pair}`, conflicting('Client already has access'), ({ people, granted }) => ({
    params: { client_profile_id: people.granted.id, collection_id: granted },
  })),
  conflict('a pair without a grant', `DELETE ${pair}`, refusals.grantNotFound, ({ people, hidden }) => ({
    params: { client_profile_id: people.granted.id, collection_id: hidden },
  })),
  conflict('a pair without a grant', `PUT ${pair}`, refusals.grantNotFound, ({ people, hidden }) => ({
    params: { client_profile_id: people.granted.id, collection_id: hidden },
    json: { expires_at: null },
  })),
  conflict('a grant that has expired', `DELETE ${pair}`, refusals.grantNotFound, ({ people, granted }) => ({
    params: { client_profile_id: people.expiredGrant.id, collection_id: granted },
  })),
  conflict('a suspended profile', suspend, conflicting('User already suspended'), ({ people }) =>
    user(people.suspended.id),
  ),
  conflict('a suspended admin', suspend, conflicting('User already suspended'), ({ people }) =>
    user(people.suspendedAdmin.id),
  ),
  conflict('a profile that is not suspended', resume, conflicting('User not suspended'), ({ people }) =>
    user(people.client.id),
  ),
  conflict('a deleted profile', suspend, refusals.userNotFound, ({ people }) => user(people.deleted.id)),
  conflict('a pending profile', expire, refusals.notApproved, ({ people }) => ({
    ...user(people.pending.id),
    json: { expires_at: null },
  })),
  conflict('an admin', expire, refusals.adminHasNoKey, ({ people }) => ({
    ...user(people.promoted.id),
    json: { expires_at: null },
  })),
  conflict('a collection that was asked for', ask, refusals.alreadyRequested, ({ discoverable }) => ({
    json: { collection_id: discoverable, reason },
  })),
  conflict('a granted collection', ask, refusals.alreadyGranted, ({ granted }) => ({
    json: { collection_id: granted, reason },
  })),
  ...[({ hidden }: World) => hidden, () => unknownId].map((collectionOf, at) =>
    conflict(`a ${at === 0 ? 'hidden' : 'missing'} collection`, ask, refusals.collectionNotFound, (world) => ({
      json: { collection_id: collectionOf(world), reason },
    })),
  ),
  ...[`POST ${pair}`, `DELETE ${pair}`, 'GET /api/access/clients/{client_profile_id}/collections'].flatMap(
    (endpoint) => [
      conflict('an admin instead of a client', endpoint, refusals.clientNotFound, ({ people, granted }) => ({
        params: { client_profile_id: people.promoted.id, collection_id: granted },
      })),
      conflict(
        'a client identifier instead of a profile id',
        endpoint,
        refusals.clientNotFound,
        ({ people, granted }) => ({
          params: { client_profile_id: people.granted.key?.clientId ?? '', collection_id: granted },
        }),
      ),
    ],
  ),
];
