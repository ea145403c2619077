import type { Aim } from './endpoint.ts';
import { refusals, type Refusal } from './refusals.ts';
import { unknownId, type World } from './world.ts';

/** A valid request that conflicts with the stored state: it is refused after it passed every other check. */
export interface Conflict {
  readonly name: string;
  readonly endpoint: string;
  readonly aim: (world: World) => Aim;
  readonly refusal: Refusal;
}

const conflict = (name: string, endpoint: string, refusal: Refusal, aim: Conflict['aim']): Conflict => ({
  name,
  endpoint,
  refusal,
  aim,
});
const conflicting = (detail: string): Refusal => ({ status: 409, detail });
const user = (user_id: string): Aim => ({ params: { user_id } });
const rule = { allowed_limit: 5, window_seconds: 60 };
const register = 'POST /api/profiles/register';
const approve = 'POST /api/profiles/{user_id}/approve';
const reject = 'POST /api/profiles/{user_id}/reject';
const rotate = 'POST /api/profiles/{user_id}/credentials';
const assign = 'PUT /api/profiles/{user_id}/tier';
const override = 'POST /api/rate-limits/overrides';
const ask = 'POST /api/access/requests';
const reason = 'To know when it rains';
const pair = '/api/access/clients/{client_profile_id}/collections/{collection_id}';

export const conflicts: readonly Conflict[] = [
  conflict('a taken e-mail in another case', register, conflicting('Email already registered'), ({ cast }) => ({
    json: { firebase_uid: 'somebody-else', email: cast.pending.email.toUpperCase(), full_name: 'Somebody Else' },
  })),
  conflict('a taken identity', register, conflicting('Identity already registered'), ({ cast }) => ({
    json: { firebase_uid: cast.pending.uid, email: 'somebody-else@example.com', full_name: 'Somebody Else' },
  })),
  conflict('an approved profile', approve, conflicting('User already approved'), ({ cast }) => user(cast.client.id)),
  conflict('a rejected profile', approve, conflicting('User already rejected'), ({ cast }) => user(cast.rejected.id)),
  conflict('an approved profile', reject, conflicting('User already approved'), ({ cast }) => user(cast.client.id)),
  conflict('a rejected profile', reject, conflicting('User already rejected'), ({ cast }) => user(cast.rejected.id)),
  conflict('a deleted profile', approve, refusals.userNotFound, ({ cast }) => user(cast.deleted.id)),
  conflict('a pending profile', rotate, refusals.notApproved, ({ cast }) => user(cast.pending.id)),
  conflict('an admin', rotate, refusals.adminHasNoKey, ({ cast }) => user(cast.promoted.id)),
  conflict(
    'a rejected profile',
    'PUT /api/profiles/{user_id}/role',
    conflicting('User already rejected'),
    ({ cast }) => ({
      ...user(cast.rejected.id),
      json: { role: 'admin' },
    }),
  ),
  conflict('an unknown tier', assign, refusals.tierNotFound, ({ cast }) => ({
    ...user(cast.client.id),
    json: { tier: 'no-such-tier' },
  })),
  conflict('an existing tier', 'POST /api/rate-limits/tiers', conflicting('Tier already exists'), ({ tier }) => ({
    json: { tier, ...rule },
  })),
  conflict('an unknown client', override, refusals.clientNotFound, () => ({
    json: { client_id: unknownId, ...rule },
  })),
  conflict('a client identifier that is not a UUID', override, refusals.clientNotFound, () => ({
    json: { client_id: 'nobody', ...rule },
  })),
  conflict('a deleted client', override, refusals.clientNotFound, ({ cast }) => ({
    json: { client_id: cast.deleted.key?.clientId, ...rule },
  })),
  conflict('a granted pair', `POST ${pair}`, conflicting('Client already has access'), ({ cast, granted }) => ({
    params: { client_profile_id: cast.granted.id, collection_id: granted },
  })),
  conflict('a pair without a grant', `DELETE ${pair}`, refusals.grantNotFound, ({ cast, hidden }) => ({
    params: { client_profile_id: cast.granted.id, collection_id: hidden },
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
      conflict('an admin instead of a client', endpoint, refusals.clientNotFound, ({ cast, granted }) => ({
        params: { client_profile_id: cast.promoted.id, collection_id: granted },
      })),
      conflict(
        'a client identifier instead of a profile id',
        endpoint,
        refusals.clientNotFound,
        ({ cast, granted }) => ({
          params: { client_profile_id: cast.granted.key?.clientId ?? '', collection_id: granted },
        }),
      ),
    ],
  ),
];
