import { countPairs, pairsMax, type GrantSelection, type PairOutcome, type PairResult } from '@portico/domain';
import { z } from 'zod';
import { json } from '../responses/route-response.ts';
import { expiryTime, removable } from '../requests/fields.ts';
import { collectionReference, groupReference, profileReference } from '../requests/references.ts';
import { defineRoute } from '../route.ts';
import { expiresAt } from './access-ways.ts';
import { isoOrNull, uuid } from './wire.ts';

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

/** The check of `refuseCount`, as far as JSON Schema can express it. */
const hasGrantee = {
  anyOf: (['profiles', 'groups'] as const).map((name) => ({
    required: [name],
    properties: { [name]: { minItems: 1 } },
  })),
};

/** Rejects lists that form no pair, or too many. */
const refuseCount = (context: { readonly value: GrantSelection; readonly issues: z.core.$ZodRawIssue[] }): void => {
  const { profiles, groups } = context.value;
  const refuse = (message: string) => context.issues.push({ code: 'custom', message, input: null });
  if (profiles.length + groups.length === 0) refuse('profiles or groups must name at least one');
  const pairs = countPairs(context.value);
  const [count, max] = [pairs, pairsMax].map((count) => count.toLocaleString('en'));
  if (pairs > pairsMax) refuse(`the lists make ${count} pairs, at most ${max} are taken at once`);
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
  .check(refuseCount)
  .meta({ id: 'ManyGrants', ...hasGrantee });
const revocations = z
  .object(lists)
  .check(refuseCount)
  .meta({ id: 'ManyRevocations', ...hasGrantee });

const results = {
  granted: 'It was granted.',
  changed: 'Its existing grant got another expiry.',
  already: 'It has the grant already.',
  revoked: 'Its grant was revoked.',
  not_granted: 'It has no such grant.',
  not_found: 'There is no such client, group or collection; `reason` says which.',
  ambiguous: 'Several collections have this name; `reason` has their ids.',
} as const satisfies Record<PairResult, string>;

const grantResults = ['granted', 'changed', 'already', 'not_found', 'ambiguous'] as const satisfies PairResult[];
const revokeResults = ['revoked', 'not_granted', 'not_found', 'ambiguous'] as const satisfies PairResult[];

const outcomeFields = {
  profile_id: uuid.nullable().optional().meta({ description: 'For a pair with a profile; null if not found.' }),
  email: z.string().optional().meta({ description: "The profile's; if not found, the requested name." }),
  group_id: uuid.nullable().optional().meta({ description: 'For a pair with a group; null if not found.' }),
  group_name: z.string().optional().meta({ description: "The group's; if not found, the requested name." }),
  collection_id: uuid.nullable(),
  collection_name: z.string().meta({ description: 'If not found, the requested name.' }),
  expires_at: expiresAt,
  reason: z.string().optional().meta({ description: 'Why nothing was done.' }),
};

/** Creates the response of an endpoint with these results: the count of each, and the outcome of every pair. */
const responseOf = <const Results extends readonly PairResult[]>(id: string, resultNames: Results) => {
  const described = resultNames.map((result) => `\`${result}\`: ${results[result]}`).join(' ');
  const outcome = z.object({ outcome: z.enum(resultNames).meta({ description: described }), ...outcomeFields });
  return z
    .object({
      ...(Object.fromEntries(resultNames.map((result) => [result, z.int()])) as Record<Results[number], z.ZodInt>),
      outcomes: z.array(outcome).meta({ description: 'One for each pair: profiles first, in the order of the lists.' }),
    })
    .meta({ id });
};

const limits =
  'Each of `profiles` and `groups` with each of `collections`, at most 10,000 pairs; the size of a request body is ' +
  'limited too. Each pair has an outcome. All of them are one transaction: an error changes nothing.';

export const manyAccessRoutes = [
  defineRoute({
    method: 'POST',
    path: '/api/access/grants',
    operation: 'grantMany',
    summary: 'Grant many clients and groups many collections',
    description: `${limits} Takes effect with the next request.`,
    auth: 'admin',
    scope: 'access:write',
    bodyKind: 'json',
    body: grants,
    status: 200,
    response: responseOf('GrantOutcomes', grantResults),
    handler: async ({ useCases, caller, body: { fields } }) =>
      json(responseView(await useCases.grantMany(caller.authority, fields, fields.expires_at), grantResults)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/access/grants',
    operation: 'revokeMany',
    summary: 'Revoke many collections from many clients and groups',
    description: `${limits} Access through a group stays. Takes effect with the next request.`,
    auth: 'admin',
    scope: 'access:write',
    bodyKind: 'json',
    body: revocations,
    status: 200,
    response: responseOf('RevocationOutcomes', revokeResults),
    handler: async ({ useCases, caller, body: { fields } }) =>
      json(responseView(await useCases.revokeMany(caller.authority, fields), revokeResults)),
  }),
] as const;

const responseView = <const Result extends PairResult>(
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
    return { outcome: result, ...outcomeView(outcome) };
  });
  return { ...counts, outcomes: views };
};

const outcomeView = ({ grantee: { kind, id, name }, collection, expiresAt: end, reason }: PairOutcome) => ({
  ...(kind === 'profile' ? { profile_id: id, email: name } : { group_id: id, group_name: name }),
  collection_id: collection.id,
  collection_name: collection.name,
  expires_at: isoOrNull(end),
  ...(reason === null ? {} : { reason }),
});
