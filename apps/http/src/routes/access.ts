import { clientPair, toIso, type ClientAccess, type CollectionAccess } from '@portico/domain';
import { z } from 'zod';
import { json } from '../answers/answer.ts';
import { defineRoute, type RouteRow } from '../route.ts';
import {
  clientParameter,
  collectionIdOf,
  collectionParameter,
  isoOrNull,
  message,
  profileIdOf,
  timestamp,
  uuid,
} from './wire.ts';

const collectionAccess = z
  .object({
    id: uuid,
    name: z.string(),
    description: z.string(),
    has_access: z.boolean(),
    granted_at: timestamp.nullable(),
  })
  .meta({ id: 'CollectionAccess' });
const grant = z
  .object({
    message: z.string(),
    client_id: uuid.meta({ description: "The id of the client's profile." }),
    collection_id: uuid,
    granted_at: timestamp,
  })
  .meta({ id: 'Grant' });
const clientAccess = z
  .object({
    client_id: uuid.meta({ description: "The id of the client's profile." }),
    email: z.string(),
    full_name: z.string(),
    company_name: z.string().nullable(),
    granted_at: timestamp,
  })
  .meta({ id: 'ClientAccess' });

const pair = { ...clientParameter, ...collectionParameter };

export const accessRoutes: readonly RouteRow[] = [
  defineRoute({
    method: 'GET',
    path: '/api/access/clients/:client_profile_id/collections',
    operation: 'listClientAccess',
    summary: 'List all collections, and whether a client has access to each',
    description: 'Sorted by name, ignoring case. `granted_at` is null if the client has no access.',
    params: clientParameter,
    auth: 'admin',
    scope: 'access:read',
    status: 200,
    response: z.array(collectionAccess),
    errors: ['client_not_found'],
    handler: async ({ useCases, caller, params }) => {
      const found = await useCases.listClientAccess(caller.authority, profileIdOf(params.client_profile_id));
      return json(found.map(collectionAccessView));
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/access/clients/:client_profile_id/collections/:collection_id',
    operation: 'grantAccess',
    summary: 'Grant a client access to a collection',
    description:
      'Takes effect with the next request, also for a profile that waits for approval; a rejected one still sees nothing.',
    params: pair,
    auth: 'admin',
    scope: 'access:write',
    status: 201,
    supplies: { client_profile_id: '$response.body#/client_id', collection_id: '$response.body#/collection_id' },
    response: grant,
    errors: ['client_not_found', 'collection_not_found', 'already_granted'],
    handler: async ({ useCases, caller, params }) => {
      const client = profileIdOf(params.client_profile_id);
      const collection = collectionIdOf(params.collection_id);
      const { grantedAt } = await useCases.grantAccess(caller.authority, clientPair(client, collection));
      return json({
        message: 'Access granted',
        client_id: client,
        collection_id: collection,
        granted_at: toIso(grantedAt),
      });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/access/clients/:client_profile_id/collections/:collection_id',
    operation: 'revokeAccess',
    summary: "Revoke a client's access to a collection",
    description: 'Takes effect with the next request.',
    params: pair,
    auth: 'admin',
    scope: 'access:write',
    status: 200,
    response: message,
    errors: ['client_not_found', 'collection_not_found', 'grant_not_found'],
    handler: async ({ useCases, caller, params }) => {
      const client = profileIdOf(params.client_profile_id);
      await useCases.revokeAccess(caller.authority, clientPair(client, collectionIdOf(params.collection_id)));
      return json({ message: 'Access revoked' });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/access/collections/:collection_id/clients',
    operation: 'listCollectionClients',
    summary: 'List the clients with access to a collection',
    description: 'Sorted by e-mail.',
    params: collectionParameter,
    auth: 'admin',
    scope: 'access:read',
    status: 200,
    response: z.array(clientAccess),
    errors: ['collection_not_found'],
    handler: async ({ useCases, caller, params }) => {
      const found = await useCases.listCollectionClients(caller.authority, collectionIdOf(params.collection_id));
      return json(found.map(clientAccessView));
    },
  }),
];

const collectionAccessView = ({ id, name, description, ways }: CollectionAccess): z.input<typeof collectionAccess> => ({
  id,
  name,
  description,
  has_access: ways.length > 0,
  granted_at: isoOrNull(ways[0]?.grantedAt ?? null),
});

const clientAccessView = ({ profile, ways }: ClientAccess): z.input<typeof clientAccess> => ({
  client_id: profile.id,
  email: profile.email,
  full_name: profile.fullName,
  company_name: profile.companyName,
  granted_at: toIso(ways[0].grantedAt),
});
