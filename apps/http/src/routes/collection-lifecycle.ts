import { collectionAuthorityOf, lifecycleStates, lifecycleTextMax, PorticoError } from '@portico/domain';
import { z } from 'zod';
import { expiryTime, moment, optional, removable, text } from '../requests/fields.ts';
import { collectionReference } from '../requests/references.ts';
import { toJsonResponse } from '../responses/route-response.ts';
import { defineRoute } from '../route.ts';
import { lifecycle, toLifecycleView } from './lifecycle-views.ts';
import { collectionIdOf, collectionParameter } from './wire.ts';

const lifecycleChange = z
  .object({
    state: z.enum(lifecycleStates).meta({
      description: '`retired` can only follow `deprecated`. `active` removes everything else.',
      examples: ['deprecated'],
    }),
    since: optional(moment).meta({ description: 'When it was or will be deprecated; now by default.' }),
    sunset: removable(expiryTime).meta({
      description:
        'When it stops working. A date without a time is the last day, in UTC. Not before `since`; null removes it.',
    }),
    successor: removable(collectionReference).meta({
      description: 'The id or unique name of the collection to use instead; null removes it.',
      examples: ['Weather v2'],
    }),
    text: removable(text({ max: lifecycleTextMax })).meta({
      description: 'A note for callers, in plain text; null removes it.',
      examples: ['The new API has the same operations.'],
    }),
  })
  .meta({ id: 'LifecycleChange' });

/** The route that deprecates, retires and activates a collection. */
export const collectionLifecycleRoutes = [
  defineRoute({
    method: 'PUT',
    path: '/api/collections/:collection_id/lifecycle',
    operation: 'setLifecycle',
    summary: 'Deprecate, retire or activate a collection',
    description:
      'Absent fields keep their value. For administrators and owners. Takes effect as of the next request: responses for ' +
      'the collection have the headers `Deprecation`, `Sunset` and `Link`, and a retired one is not found or called any more.',
    params: collectionParameter,
    targetDetail: 'head',
    auth: 'admin or owner',
    scope: 'catalog:write',
    bodyKind: 'json',
    body: lifecycleChange,
    status: 200,
    response: lifecycle,
    errors: ['collection_not_found', 'not_deprecated'],
    handler: async ({ useCases, caller: { principal }, params, body: { fields } }) => {
      const authority = collectionAuthorityOf(principal, collectionIdOf(params.collection_id));
      const { state, since, sunset, successor, text: note } = fields;
      if (state === 'active' && (since ?? sunset ?? successor ?? note) != null)
        throw new PorticoError('invalid_body', { reason: 'an active collection has only a state' });
      for (const [name, instant] of Object.entries({ since, sunset }))
        if (instant != null && instant < 0)
          throw new PorticoError('invalid_body', { reason: `${name} must be in 1970 or later` });
      const next = await useCases.setLifecycle(authority, {
        state,
        since: since ?? undefined,
        sunset,
        successor: successor == null ? successor : await useCases.findSuccessor(principal, successor),
        text: note,
      });
      return toJsonResponse(toLifecycleView(next));
    },
  }),
] as const;
