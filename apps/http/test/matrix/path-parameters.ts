import type { Target } from './endpoint.ts';
import { refusals, type Refusal } from './refusals.ts';
import { unknownId } from './world.ts';

interface PathParameter {
  readonly refusal: Refusal;
  /** A well-formed value that identifies nothing. */
  readonly missing: string;
  /** Values that cannot identify anything. */
  readonly malformed: readonly string[];
}

const notUuids = [
  'not-a-uuid',
  '1',
  '00000000-0000-0000-0000-000000000000',
  unknownId.slice(1),
  `${unknownId}0`,
  unknownId.replaceAll('-', ''),
  `%7B${unknownId}%7D`,
  '%00',
  '%ff',
  '%',
  '%E0%A4%A',
  "%27%20OR%20'1'='1",
  'x'.repeat(2_000),
];
const ofUuid = (refusal: Refusal): PathParameter => ({ refusal, missing: unknownId, malformed: notUuids });

/** The values of each path parameter that identify nothing, and the refusal for them. */
export const pathParameters: Readonly<Record<string, PathParameter>> = {
  user_id: ofUuid(refusals.userNotFound),
  collection_id: ofUuid(refusals.collectionNotFound),
  client_profile_id: ofUuid(refusals.clientNotFound),
  client_id: ofUuid(refusals.clientNotFound),
  profile_id: ofUuid(refusals.userNotFound),
  group_id: {
    refusal: refusals.groupNotFound,
    missing: unknownId,
    malformed: [...notUuids, 'STANDING%20CREW', '%20Standing%20crew', 'Standing+crew'],
  },
  account_id: ofUuid(refusals.serviceAccountNotFound),
  job_id: ofUuid(refusals.jobNotFound),
  request_id: ofUuid(refusals.requestNotFound),
  operation_key: {
    refusal: refusals.operationNotFound,
    missing: 'aaaaaaaaaaaaaaaa',
    malformed: ['x', 'AAAAAAAAAAAAAAAA', '0000000000000000', 'a'.repeat(17), '%00', '%', '%ff', unknownId],
  },
  tier: {
    refusal: refusals.tierNotFound,
    missing: 'no-such-tier',
    malformed: ['Not%20A%20Tier', '-', '%00', '%', '%ff', 'x'.repeat(64), 'STANDING'],
  },
  id: {
    refusal: refusals.overrideNotFound,
    missing: '2147483647',
    malformed: ['x', '%', '%ff', '0', '-1', '1.5', '1e3', '0x1', '%201', '99999999999999999999', unknownId],
  },
  file: {
    refusal: refusals.notFound,
    missing: 'nothing.js',
    malformed: ['..%2Fpackage.json', '%2e%2e', '%', '%ff', 'INITIALIZER.JS'],
  },
};

export const pathParameterOf = (variable: string): PathParameter => {
  const parameter = pathParameters[variable];
  if (!parameter) throw new Error(`Unknown path parameter {${variable}}`);
  return parameter;
};

/** Returns the target with a different value of a path parameter. */
export const withParameter = (target: Target, variable: string, value: string): Target => ({
  ...target,
  params: { ...target.params, [variable]: value },
});
