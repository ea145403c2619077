import {
  collectionAuthorityOf,
  dayMs,
  expectedChangesMax,
  expectedDaysMax,
  expectedReasonMax,
  findRepeatedTag,
  parseOperationKey,
  policyLevels,
  policyLevelsMax,
  PorticoError,
  referenceTextOf,
  ruleIdMax,
  tagMax,
  tagsMax,
  toIso,
  type ChangePolicy,
  type OwnerGroup,
} from '@portico/domain';
import { z } from 'zod';
import { expiryTime, line, optional } from '../requests/fields.ts';
import { groupReference } from '../requests/references.ts';
import { toJsonResponse } from '../responses/route-response.ts';
import { defineRoute } from '../route.ts';
import { tagList } from './lifecycle-views.ts';
import { collectionIdOf, collectionParameter, timestamp, uuid } from './wire.ts';

const owner = z
  .object({
    group: z
      .object({ id: uuid, name: z.string() })
      .nullable()
      .meta({ description: 'Its members are owners; null if only administrators decide.' }),
  })
  .meta({ id: 'CollectionOwner' });
const ownerChange = z
  .object({
    group: z.union([groupReference, z.null()], { error: 'must be the id or name of a group, or null' }).meta({
      description: 'The id or exact name of the group; null for none.',
      examples: ['Weather team'],
    }),
  })
  .meta({ id: 'CollectionOwnerChange' });
const toOwnerView = (group: OwnerGroup | null): z.input<typeof owner> => ({
  group: group && { id: group.id, name: group.name },
});

const tags = z.object({ tags: tagList }).meta({ id: 'CollectionTags' });
const tagsChange = z
  .object({
    tags: z
      .array(line({ max: tagMax }))
      .max(tagsMax)
      .check((context) => {
        const repeatedTag = findRepeatedTag(context.value);
        if (repeatedTag !== null)
          context.issues.push({ code: 'custom', message: `must not repeat ${repeatedTag}`, input: context.value });
      })
      .meta({ description: 'All tags, in their order; unique, ignoring case.', examples: [['weather', 'public']] }),
  })
  .meta({ id: 'CollectionTagsChange' });

const level = z.enum(policyLevels).meta({ description: '`ignore`: changes by this rule are not listed.' });
const ruleIdPattern = new RegExp(`^[a-z0-9][a-z0-9-]{0,${ruleIdMax - 1}}$`);
const ruleId = z
  .string()
  .regex(ruleIdPattern, { error: 'must be the id of a rule: lower-case letters, digits and hyphens' })
  .meta({ examples: ['request-parameter-removed'] });
const fingerprintPattern = /^[0-9a-f]{12}$/;
const operationKeyPattern = /^[a-z2-7]{16}$/;
const policy = z
  .object({
    levels: z.record(z.string(), level).meta({ description: 'The level of changes by rule.' }),
    expected: z.array(
      z.object({
        rule: z.string(),
        operation_key: z.string().nullable(),
        fingerprint: z.string().nullable(),
        reason: z.string(),
        until: timestamp,
      }),
    ),
  })
  .meta({ id: 'ChangePolicy' });
const policyChange = z
  .object({
    levels: z
      .record(ruleId, level)
      .refine((levels) => Object.keys(levels).length <= policyLevelsMax, {
        error: `must have at most ${policyLevelsMax} rules`,
      })
      .meta({
        description: 'The level of changes by rule, instead of its own.',
        maxProperties: policyLevelsMax,
        examples: [{ 'response-optional-property-removed': 'breaking' }],
      }),
    expected: z
      .array(
        z.object({
          rule: ruleId,
          operation_key: optional(z.string().regex(operationKeyPattern, { error: 'must be an operation key' })).meta({
            description: 'Only changes of this operation; of any if absent.',
          }),
          fingerprint: optional(
            z.string().regex(fingerprintPattern, { error: 'must be the fingerprint of a change' }),
          ).meta({ description: 'Only this change.' }),
          reason: line({ max: expectedReasonMax }),
          until: expiryTime.meta({
            description: `When it is no longer expected: at most ${expectedDaysMax} days from now. A date is the last day, in UTC.`,
          }),
        }),
      )
      .max(expectedChangesMax)
      .meta({ description: 'Changes that count as `info`, with the reason.', examples: [[]] }),
  })
  .meta({ id: 'ChangePolicyChange' });

const toPolicyView = ({ levels, expected }: ChangePolicy): z.input<typeof policy> => ({
  levels: { ...levels },
  expected: expected.map(({ rule, operationKey, fingerprint, reason, until }) => ({
    ...{ rule, operation_key: operationKey, fingerprint, reason },
    until: toIso(until),
  })),
});

const toPolicy = ({ levels, expected }: z.output<typeof policyChange>): ChangePolicy => ({
  levels,
  expected: expected.map(({ rule, operation_key: key, fingerprint, reason, until }) => ({
    rule,
    operationKey: key == null ? null : parseOperationKey(key),
    fingerprint: fingerprint ?? null,
    reason,
    until: until ?? 0,
  })),
});

/** The routes for the owner of a collection, and for the tags and policies that owners set. */
export const collectionOwnershipRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/owner',
    operation: 'readOwner',
    summary: 'Read which group owns a collection',
    description: 'For those who may read the collection.',
    params: collectionParameter,
    targetDetail: 'full',
    auth: 'token or key',
    scope: 'catalog:read',
    status: 200,
    response: owner,
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, caller, params }) => {
      const id = collectionIdOf(params.collection_id);
      return toJsonResponse(toOwnerView(await useCases.readOwner(caller.principal, id)));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/collections/:collection_id/owner',
    operation: 'setOwner',
    summary: 'Make a group the owner of a collection',
    description:
      'Its members may set the lifecycle, tags and change policy of this collection, and decide requests for access to it. ' +
      'They get no access by that.',
    params: collectionParameter,
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: ownerChange,
    status: 200,
    response: owner,
    errors: ['collection_not_found', 'group_not_found'],
    handler: async ({ useCases, caller: { authority }, params, body: { fields } }) => {
      const { group } = fields;
      const groupId = group && (await useCases.findGroup(authority, referenceTextOf(group)));
      return toJsonResponse(
        toOwnerView(await useCases.setOwner(authority, collectionIdOf(params.collection_id), groupId)),
      );
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/collections/:collection_id/tags',
    operation: 'setTags',
    summary: 'Set the tags of a collection',
    description: `Replaces all tags: at most ${tagsMax}. For administrators and owners.`,
    params: collectionParameter,
    targetDetail: 'head',
    auth: 'admin or owner',
    scope: 'catalog:write',
    bodyKind: 'json',
    body: tagsChange,
    status: 200,
    response: tags,
    errors: ['collection_not_found'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const authority = collectionAuthorityOf(caller.principal, collectionIdOf(params.collection_id));
      return toJsonResponse({ tags: [...(await useCases.setTags(authority, fields.tags))] });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/change-policy',
    operation: 'readChangePolicy',
    summary: 'Read how changes of a collection are rated',
    description: 'For administrators and owners.',
    params: collectionParameter,
    targetDetail: 'head',
    auth: 'admin or owner',
    scope: 'catalog:read',
    status: 200,
    response: policy,
    errors: ['collection_not_found'],
    handler: async ({ useCases, caller, params }) => {
      const authority = collectionAuthorityOf(caller.principal, collectionIdOf(params.collection_id));
      return toJsonResponse(toPolicyView(await useCases.readChangePolicy(authority)));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/collections/:collection_id/change-policy',
    operation: 'setChangePolicy',
    summary: 'Set how changes of a collection are rated',
    description: 'Replaces the whole policy. For administrators and owners.',
    params: collectionParameter,
    targetDetail: 'head',
    auth: 'admin or owner',
    scope: 'catalog:write',
    bodyKind: 'json',
    bodyBytesMax: 1_048_576,
    body: policyChange,
    status: 200,
    response: policy,
    errors: ['collection_not_found'],
    handler: async ({ useCases, caller: { principal }, params, body: { fields } }) => {
      const authority = collectionAuthorityOf(principal, collectionIdOf(params.collection_id));
      const next = toPolicy(fields);
      const untilMax = principal.readAt + expectedDaysMax * dayMs;
      for (const [index, { until }] of next.expected.entries()) {
        const rule =
          until > untilMax ? `at most ${expectedDaysMax} days from now` : until < 0 ? 'in 1970 or later' : null;
        if (rule !== null)
          throw new PorticoError('invalid_body', { reason: `expected[${index}].until must be ${rule}` });
      }
      return toJsonResponse(toPolicyView(await useCases.setChangePolicy(authority, next)));
    },
  }),
] as const;
