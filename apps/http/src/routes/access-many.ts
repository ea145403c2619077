import { countPairs, pairsMax, type Granting, type PairOutcome, type PairResult } from '@portico/domain';
import { z } from 'zod';
import { json } from '../answers/answer.ts';
import { ending, removable } from '../requests/fields.ts';
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

/** What `refuseCount` refuses, as far as JSON Schema can say it. */
const namesSomebody = {
  anyOf: (['profiles', 'groups'] as const).map((name) => ({
    required: [name],
    properties: { [name]: { minItems: 1 } },
  })),
};

/** Refuses lists that name no pair, or too many. */
const refuseCount = (context: { readonly value: Granting; readonly issues: z.core.$ZodRawIssue[] }): void => {
  const { profiles, groups } = context.value;
  const refuse = (message: string) => context.issues.push({ code: 'custom', message, input: null });
  if (profiles.length + groups.length === 0) refuse('profiles or groups must name at least one');
  const pairs = countPairs(context.value);
  const [named, most] = [pairs, pairsMax].map((count) => count.toLocaleString('en'));
  if (pairs > pairsMax) refuse(`the lists make ${named} pairs, at most ${most} are taken at once`);
};

const grants = z
  .object({
    ...lists,
    expires_at: removable(ending).meta({
      description:
        'When the grants expire; a date alone is their last day, in UTC. Grants that there are get it too; null removes their end.',
      examples: ['2026-12-31'],
    }),
  })
  .check(refuseCount)
  .meta({ id: 'ManyGrants', ...namesSomebody });
const revocations = z
  .object(lists)
  .check(refuseCount)
  .meta({ id: 'ManyRevocations', ...namesSomebody });

const results = {
  granted: 'It has the grant now.',
  changed: 'It had the grant, which expires at another time now.',
  already: 'It has the grant already.',
  revoked: 'It has no such grant any more.',
  not_granted: 'It has no such grant.',
  not_found: 'There is no such client, group or collection; `reason` says which.',
  ambiguous: 'Several collections have this name; `reason` has their ids.',
} as const satisfies Record<PairResult, string>;

const grantResults = ['granted', 'changed', 'already', 'not_found', 'ambiguous'] as const satisfies PairResult[];
const revokeResults = ['revoked', 'not_granted', 'not_found', 'ambiguous'] as const satisfies PairResult[];

const outcomeFields = {
  profile_id: uuid.nullable().optional().meta({ description: 'Of a pair with a profile; null if there is none.' }),
  email: z.string().optional().meta({ description: "The profile's; if there is none, what it was named by." }),
  group_id: uuid.nullable().optional().meta({ description: 'Of a pair with a group; null if there is none.' }),
  group_name: z.string().optional().meta({ description: "The group's; if there is none, what it was named by." }),
  collection_id: uuid.nullable(),
  collection_name: z.string().meta({ description: 'If there is none, what it was named by.' }),
  expires_at: expiresAt,
  reason: z.string().optional().meta({ description: 'Why nothing was done.' }),
};

/** The answer of an endpoint with these results: how many pairs had each, and every pair. */
const answerOf = <const Results extends readonly PairResult[]>(id: string, named: Results) => {
  const described = named.map((result) => `\`${result}\`: ${results[result]}`).join(' ');
  const outcome = z.object({ outcome: z.enum(named).meta({ description: described }), ...outcomeFields });
  return z
    .object({
      ...(Object.fromEntries(named.map((result) => [result, z.int()])) as Record<Results[number], z.ZodInt>),
      outcomes: z.array(outcome).meta({ description: 'One for each pair: profiles first, in the order of the lists.' }),
    })
    .meta({ id });
};

const limits =
  'Every one of `profiles` and `groups` with every one of `collections`, at most 10,000 pairs; the size of a request body is ' +
  'limited too. Each pair has an outcome of its own. All of them are one change: an error has changed nothing.';

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
    response: answerOf('GrantOutcomes', grantResults),
    handler: async ({ useCases, caller, body: { fields } }) =>
      json(answerView(await useCases.grantMany(caller.authority, fields, fields.expires_at), grantResults)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/access/grants',
    operation: 'revokeMany',
    summary: 'Revoke many collections from many clients and groups',
    description: `${limits} What a client has by a group stays. Takes effect with the next request.`,
    auth: 'admin',
    scope: 'access:write',
    bodyKind: 'json',
    body: revocations,
    status: 200,
    response: answerOf('RevocationOutcomes', revokeResults),
    handler: async ({ useCases, caller, body: { fields } }) =>
      json(answerView(await useCases.revokeMany(caller.authority, fields), revokeResults)),
  }),
] as const;

const answerView = <const Result extends PairResult>(outcomes: readonly PairOutcome[], named: readonly Result[]) => {
  const counts = Object.fromEntries(named.map((result): [PairResult, number] => [result, 0])) as Record<Result, number>;
  const views = outcomes.map((outcome) => {
    // Safe: the use case of the endpoint has these results alone.
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
