import { countPairs, pairsMax, type GrantSelection, type PairOutcome, type PairResult } from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { expiryTime, removable } from '../requests/fields.ts';
import { collectionReference, groupReference, profileReference } from '../requests/references.ts';
import { defineRoute } from '../route.ts';
import { expiresAt } from './access-ways.ts';
import { toIsoOrNull, uuid } from './wire.ts';

const lists = {
  profiles: z
    .array(profileReference)
    .default([])
    .meta({ examples: [['alice@example.com']] }),
  groups: z
    .array(groupReference)
    .default([])
    .meta({ examples: [['Engineering']] }),
  collections: z
    .array(collectionReference)
    .min(1, { error: 'must name at least one' })
    .meta({ examples: [['Weather', 'Roads']] }),
};

/** The check of `rejectInvalidPairCount`, as far as JSON Schema can express it. */
const granteeRequirement = {
  anyOf: (['profiles', 'groups'] as const).map((name) => ({
    required: [name],
    properties: { [name]: { minItems: 1 } },
  })),
};

/** Rejects lists that form no pair, or too many. */
const rejectInvalidPairCount = (context: {
  readonly value: GrantSelection;
  readonly issues: z.core.$ZodRawIssue[];
}): void => {
  const { profiles, groups } = context.value;
  const addIssue = (message: string) => context.issues.push({ code: 'custom', message, input: null });
  if (profiles.length + groups.length === 0) addIssue('profiles or groups must name at least one');
  const pairs = countPairs(context.value);
  const [count, max] = [pairs, pairsMax].map((count) => count.toLocaleString('en'));
  if (pairs > pairsMax) addIssue(`the lists make ${count} pairs, at most ${max} are allowed per request`);
};

const grants = z
  .object({
    ...lists,
    expires_at: removable(expiryTime).meta({
      description:
        'When the grants expire; a date alone is their last day, in UTC. Also applies to existing grants; null removes the expiry.',
      examples: ['2026-12-31'],
    }),
  })
  .check(rejectInvalidPairCount)
  .meta({ id: 'ManyGrants', ...granteeRequirement });
const revocations = z
  .object(lists)
  .check(rejectInvalidPairCount)
  .meta({ id: 'ManyRevocations', ...granteeRequirement });

const results = {
  granted: 'The collection was granted.',
  changed: 'The expiry of the existing grant was changed.',
  already: 'The grant already exists.',
  revoked: 'The grant was revoked.',
  not_granted: 'The grant does not exist.',
  not_found: 'The client, group or collection does not exist; `reason` says which.',
  retired: 'The collection is retired, so no one can get access to it.',
  ambiguous: 'Several collections have this name; `reason` lists their ids.',
} as const satisfies Record<PairResult, string>;

const grantResults = [
  'granted',
  'changed',
  'already',
  'not_found',
  'ambiguous',
  'retired',
] as const satisfies PairResult[];
const revokeResults = ['revoked', 'not_granted', 'not_found', 'ambiguous'] as const satisfies PairResult[];

const outcomeFields = {
  profile_id: uuid.nullable().optional().meta({ description: 'For a pair with a profile; null if not found.' }),
  email: z
    .string()
    .optional()
    .meta({ description: 'The email address of the profile; the requested name if not found.' }),
  group_id: uuid.nullable().optional().meta({ description: 'For a pair with a group; null if not found.' }),
  group_name: z.string().optional().meta({ description: 'The name of the group; the requested name if not found.' }),
  collection_id: uuid.nullable(),
  collection_name: z.string().meta({ description: 'The name of the collection; the requested name if not found.' }),
  expires_at: expiresAt,
  reason: z.string().optional().meta({ description: 'The reason why nothing was changed.' }),
};

/** Creates the response of an endpoint with these results: the count of each, and the outcome of every pair. */
const createResponseSchema = <const Results extends readonly PairResult[]>(id: string, resultNames: Results) => {
  const resultDescriptions = resultNames.map((result) => `\`${result}\`: ${results[result]}`).join(' ');
  const outcome = z.object({
    outcome: z.enum(resultNames).meta({ description: resultDescriptions }),
    ...outcomeFields,
  });
  return z
    .object({
      ...(Object.fromEntries(resultNames.map((result) => [result, z.int()])) as Record<Results[number], z.ZodInt>),
      outcomes: z
        .array(outcome)
        .meta({ description: 'One outcome for each pair: profiles first, in the order of the lists.' }),
    })
    .meta({ id });
};

const limits =
  'Pairs each of `profiles` and `groups` with each of `collections`: at most 10,000 pairs; the size of a request body is ' +
  'also limited. Returns an outcome for each pair. All changes are made in one transaction: if there is an error, nothing changes.';

export const manyAccessRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/access/grants',
    operation: 'grantMany',
    summary: 'Grant collections to many clients and groups',
    description: `${limits} Takes effect as of the next request.`,
    auth: 'admin',
    scope: 'access:write',
    bodyKind: 'json',
    body: grants,
    status: 200,
    response: createResponseSchema('GrantOutcomes', grantResults),
    handler: async ({ useCases, caller, body: { fields } }) =>
      toJsonResponse(
        toResponseView(await useCases.grantMany(caller.authority, fields, fields.expires_at), grantResults),
      ),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/access/grants',
    operation: 'revokeMany',
    summary: 'Revoke grants from many clients and groups',
    description: `${limits} Does not affect access through groups. Takes effect as of the next request.`,
    auth: 'admin',
    scope: 'access:write',
    bodyKind: 'json',
    body: revocations,
    status: 200,
    response: createResponseSchema('RevocationOutcomes', revokeResults),
    handler: async ({ useCases, caller, body: { fields } }) =>
      toJsonResponse(toResponseView(await useCases.revokeMany(caller.authority, fields), revokeResults)),
  }),
] as const;

const toResponseView = <const Result extends PairResult>(
  outcomes: readonly PairOutcome[],
  resultNames: readonly Result[],
) => {
  const counts = Object.fromEntries(resultNames.map((result): [PairResult, number] => [result, 0])) as Record<
    Result,
    number
  >;
  const views = outcomes.map((outcome) => {
    // Safe: the endpoint's use case returns only these results.
    const result = outcome.result as Result;
    counts[result] += 1;
    return { outcome: result, ...toOutcomeView(outcome) };
  });
  return { ...counts, outcomes: views };
};

const toOutcomeView = ({ grantee: { kind, id, name }, collection, expiresAt: expiry, reason }: PairOutcome) => ({
  ...(kind === 'profile' ? { profile_id: id, email: name } : { group_id: id, group_name: name }),
  collection_id: collection.id,
  collection_name: collection.name,
  expires_at: toIsoOrNull(expiry),
  ...(reason === null ? {} : { reason }),
});
