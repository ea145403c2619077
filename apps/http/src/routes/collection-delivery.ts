import { deliveries, originsMax, type DeliverySettings } from '@portico/domain';
import { z } from 'zod';
import { createEmptyResponse, toJsonResponse } from '../responses/route-response.ts';
import { line, optional } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { credentialFields, toSubjectView } from './credential-fields.ts';
import { collectionIdOf, collectionParameter } from './wire.ts';

const delivery = z.enum(deliveries).meta({
  description:
    '`reveal` shows clients the credential for everyone. With `call`, no one reads any: the service sends the calls.',
});
const ownCredentials = z
  .boolean()
  .meta({ description: 'Whether clients with access may store credentials of their own.' });
const settings = z.object({ delivery, own_credentials: ownCredentials }).meta({ id: 'Delivery' });
const settingsChange = z
  .object({ delivery: optional(delivery), own_credentials: optional(ownCredentials) })
  .meta({ id: 'DeliveryChange' });

const origin = z.string().meta({ description: 'Scheme, host and port.', examples: ['https://api.example.com'] });
const boundOrigins = z
  .object({
    current: z.array(origin).meta({
      description: `The origins of all servers and token addresses of the document, with the settings of the collection; the first ${originsMax}.`,
    }),
    credentials: z.array(
      z.object({
        ...credentialFields,
        scheme: z.string().nullable().meta({ description: 'Null if the document does not have the scheme.' }),
        origins: z
          .array(origin)
          .nullable()
          .meta({ description: 'Calls send the credential only to these origins; null if none were recorded.' }),
        is_current: z.boolean().meta({ description: 'Whether calls may send it to every current origin.' }),
      }),
    ),
  })
  .meta({ id: 'BoundOrigins' });
/** The maximum length of an origin, in code points. */
const originMax = 2_048;
const confirmation = z
  .object({
    origins: z
      .array(line({ max: originMax }))
      .max(originsMax)
      .meta({ examples: [['https://api.example.com']] }),
  })
  .meta({ id: 'OriginConfirmation' });

const toSettingsView = (state: DeliverySettings): z.input<typeof settings> => ({
  delivery: state.delivery,
  own_credentials: state.ownCredentials,
});

/** The routes that decide how the credentials of a collection are used, and where they are sent. */
export const collectionDeliveryRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/delivery',
    operation: 'readDelivery',
    summary: 'Read how credentials are used',
    description: 'Contains no credential.',
    params: collectionParameter,
    targetDetail: 'full',
    auth: 'token or key',
    scope: 'catalog:read',
    status: 200,
    response: settings,
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, caller }) => toJsonResponse(toSettingsView(useCases.readDelivery(caller.principal))),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/collections/:collection_id/delivery',
    operation: 'updateDelivery',
    summary: 'Change how credentials are used',
    description: 'Absent fields keep their value. Takes effect as of the next request.',
    params: collectionParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: settingsChange,
    status: 200,
    response: settings,
    errors: ['collection_not_found'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const edit = { delivery: fields.delivery ?? undefined, ownCredentials: fields.own_credentials ?? undefined };
      const id = collectionIdOf(params.collection_id);
      return toJsonResponse(toSettingsView(await useCases.updateDelivery(caller.authority, id, edit)));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/origins',
    operation: 'readOrigins',
    summary: 'Read where credentials may be sent',
    description:
      'Each credential is bound to the origins that the collection had when it was set. If a new document, base URL or ' +
      'server variable leads elsewhere, calls are refused with 409 until an administrator confirms the new origins.',
    params: collectionParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    response: boundOrigins,
    errors: ['collection_not_found'],
    handler: async ({ useCases, caller, params }) => {
      const { current, credentials } = await useCases.readOrigins(
        caller.authority,
        collectionIdOf(params.collection_id),
      );
      const views = credentials.map(({ id, subject, scheme, origins, isCurrent }) => ({
        ...{ id, for: toSubjectView(subject), scheme },
        origins: origins && [...origins],
        is_current: isCurrent,
      }));
      return toJsonResponse({ current: [...current], credentials: views });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/collections/:collection_id/origins/confirm',
    operation: 'confirmOrigins',
    summary: 'Confirm where credentials may be sent',
    description:
      'Binds all credentials of the collection to `origins`, which must be exactly the current ones; otherwise the ' +
      'response is a 409 with them.',
    params: collectionParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: confirmation,
    status: 204,
    response: null,
    errors: ['collection_not_found', 'origin_changed'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      await useCases.confirmOrigins(caller.authority, collectionIdOf(params.collection_id), fields.origins);
      return createEmptyResponse();
    },
  }),
] as const;
