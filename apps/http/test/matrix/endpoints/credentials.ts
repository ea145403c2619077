import { expect } from 'vitest';
import type { Endpoints, Target } from '../endpoint.ts';
import { empty } from '../shapes.ts';
import type { World } from '../world.ts';
import { noAccessErrors } from './collections.ts';

const scheme = 'weatherKey';
const json = { value: 'new s3cret' };
const path = '/api/collections/{collection_id}/credentials/{scheme}';
const badBodies = [{}, { value: 7 }, { username: 'ada' }, { value: 'x', client_secret: 'y' }];
const currentOrigins = ['https://api.example.com'];

const sharedTarget = ({ granted }: World) => ({ params: { collection_id: granted } });
const ownTarget = ({ granted }: World) => ({ params: { collection_id: granted, scheme } });
const profileTarget = ({ granted, people }: World) => ({
  params: { collection_id: granted, scheme, profile_id: people.client.id },
});
const groupTarget = ({ granted, group }: World) => ({ params: { collection_id: granted, scheme, group_id: group } });

/** Returns the target with a new collection, in which a credential of the subject is stored. */
const createStored = async ({ make }: World, target: { readonly params: Readonly<Record<string, string>> }) => {
  const params: Readonly<Record<string, string>> = { ...target.params, collection_id: await make.collection() };
  const subject = params['group_id'] ? `groups/${params['group_id']}` : `profiles/${params['profile_id'] ?? ''}`;
  await make.asAdmin(
    'PUT',
    `/api/collections/${params['collection_id']}/credentials/${scheme}/${subject}`,
    { json },
    200,
  );
  return { params };
};
const createNew = async (
  { make }: World,
  target: { readonly params: Readonly<Record<string, string>> },
): Promise<Target> => ({ params: { ...target.params, collection_id: await make.collection() }, json });

/**
 * Returns a new collection for which clients with access may store credentials of their own; `isStored` says whether they
 * have one. The clients that have access to the shared collection have a grant.
 */
const createOwn = async ({ make, people }: World, isStored: boolean) => {
  const collection = await make.collection();
  await make.asAdmin('PUT', `/api/collections/${collection}/delivery`, { json: { own_credentials: true } }, 200);
  const members = [people.member, people.memberByClaim];
  const grantees = [people.granted, people.pendingGranted, people.expiredKey, people.demoted, ...members];
  for (const person of grantees) await make.grant(person, collection);
  const owners = [...grantees, people.admin, people.promoted];
  for (const { id } of isStored ? owners : [])
    await make.asAdmin('PUT', `/api/collections/${collection}/credentials/${scheme}/profiles/${id}`, { json }, 200);
  return { params: { collection_id: collection, scheme } };
};

export const credentialEndpoints: Endpoints = {
  'GET /api/collections/{collection_id}/own-credentials': {
    target: sharedTarget,
    freshTarget: async (world) => {
      const { params } = await createOwn(world, true);
      return { params: { collection_id: params.collection_id } };
    },
    specialErrors: noAccessErrors,
    verify: ({ list, text }, caller) => {
      expect(list).toMatchObject([{ scheme, for: { profile_id: caller.id, email: caller.email } }]);
      expect(text).not.toContain('s3cret');
    },
  },
  [`PUT ${path}/profiles/me`]: {
    target: (world) => ({ ...ownTarget(world), json }),
    freshTarget: async (world) => ({ ...(await createOwn(world, false)), json }),
    specialErrors: noAccessErrors,
    verify: ({ body, text }, caller) => {
      expect(body).toMatchObject({ scheme, kind: 'value', for: { profile_id: caller.id, email: caller.email } });
      expect(text).not.toContain('s3cret');
    },
    badBodies,
  },
  [`DELETE ${path}/profiles/me`]: {
    response: empty,
    target: ownTarget,
    freshTarget: (world) => createOwn(world, true),
    specialErrors: noAccessErrors,
  },
  [`PUT ${path}/profiles/{profile_id}`]: {
    target: (world) => ({ ...profileTarget(world), json }),
    freshTarget: (world) => createNew(world, profileTarget(world)),
    verify: ({ body, text }, _caller, { people: { client } }) => {
      expect(body).toMatchObject({ scheme, for: { profile_id: client.id, email: client.email } });
      expect(text).not.toContain('s3cret');
    },
    badBodies,
  },
  [`DELETE ${path}/profiles/{profile_id}`]: {
    response: empty,
    target: profileTarget,
    freshTarget: (world) => createStored(world, profileTarget(world)),
  },
  [`PUT ${path}/groups/{group_id}`]: {
    target: (world) => ({ ...groupTarget(world), json }),
    freshTarget: (world) => createNew(world, groupTarget(world)),
    verify: ({ body, text }, _caller, { group }) => {
      expect(body).toMatchObject({ scheme, for: { group_id: group } });
      expect(text).not.toContain('s3cret');
    },
    badBodies,
  },
  [`DELETE ${path}/groups/{group_id}`]: {
    response: empty,
    target: groupTarget,
    freshTarget: (world) => createStored(world, groupTarget(world)),
  },
  'GET /api/collections/{collection_id}/delivery': {
    target: sharedTarget,
    specialErrors: noAccessErrors,
    verify: ({ body }) => expect(body).toEqual({ delivery: 'reveal', own_credentials: false }),
  },
  'PUT /api/collections/{collection_id}/delivery': {
    target: (world) => ({ ...sharedTarget(world), json: { delivery: 'call' } }),
    freshTarget: async ({ make }) => ({
      params: { collection_id: await make.collection() },
      json: { delivery: 'call', own_credentials: true },
    }),
    verify: ({ body }) => expect(body).toEqual({ delivery: 'call', own_credentials: true }),
    badBodies: [{ delivery: 'broker' }, { delivery: 7 }, { own_credentials: 'yes' }],
  },
  'GET /api/collections/{collection_id}/origins': {
    target: sharedTarget,
    verify: ({ body }) =>
      expect(body).toEqual({
        current: currentOrigins,
        credentials: [
          {
            ...{ id: 'authentication', for: { everyone: true }, scheme },
            ...{ origins: currentOrigins, is_current: true },
          },
        ],
      }),
  },
  'POST /api/collections/{collection_id}/origins/confirm': {
    response: empty,
    target: (world) => ({ ...sharedTarget(world), json: { origins: currentOrigins } }),
    badBodies: [
      {},
      { origins: 'https://api.example.com' },
      { origins: [7] },
      { origins: Array.from({ length: 201 }, (_, index) => `https://${index}.example.com`) },
    ],
  },
};
