import type { Target } from './endpoint.ts';
import { errors, type ExpectedError } from './errors.ts';
import { unknownId } from './world.ts';

interface PathParameter {
  readonly error: ExpectedError;
  /** The errors of methods that differ from `error`. */
  readonly errorsByMethod?: Readonly<Record<string, ExpectedError>>;
  /** A well-formed value that identifies nothing. */
  readonly missingValue: string;
  /** Values that cannot identify anything. */
  readonly malformedValues: readonly string[];
}

const nonUuids = [
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
const createUuidParameter = (error: ExpectedError): PathParameter => ({
  error,
  missingValue: unknownId,
  malformedValues: nonUuids,
});

/** The values of each path parameter that identify nothing, and the error for them. */
export const pathParameters: Readonly<Record<string, PathParameter>> = {
  user_id: createUuidParameter(errors.userNotFound),
  collection_id: createUuidParameter(errors.collectionNotFound),
  client_profile_id: createUuidParameter(errors.clientNotFound),
  client_id: createUuidParameter(errors.clientNotFound),
  profile_id: createUuidParameter(errors.userNotFound),
  group_id: {
    error: errors.groupNotFound,
    missingValue: unknownId,
    malformedValues: [...nonUuids, 'STANDING%20CREW', '%20Standing%20crew', 'Standing+crew'],
  },
  account_id: createUuidParameter(errors.serviceAccountNotFound),
  job_id: createUuidParameter(errors.jobNotFound),
  webhook_id: createUuidParameter(errors.webhookNotFound),
  call_id: createUuidParameter(errors.callNotFound),
  request_id: createUuidParameter(errors.requestNotFound),
  operation_key: {
    error: errors.operationNotFound,
    missingValue: 'aaaaaaaaaaaaaaaa',
    malformedValues: ['x', 'AAAAAAAAAAAAAAAA', '0000000000000000', 'a'.repeat(17), '%00', '%', '%ff', unknownId],
  },
  revision: {
    error: errors.revisionNotFound,
    missingValue: '2147483647',
    malformedValues: [
      'x',
      '%',
      '%ff',
      '0',
      '-1',
      '01',
      '1.5',
      '1e3',
      '0x1',
      '%201',
      '2147483648',
      '9'.repeat(20),
      unknownId,
    ],
  },
  scheme: {
    error: errors.credentialNotFound,
    errorsByMethod: { PUT: errors.schemeNotFound },
    missingValue: 'noSuchScheme',
    malformedValues: ['%00', '%', '%ff', 'x'.repeat(2_000), 'WEATHERKEY'],
  },
  tier: {
    error: errors.tierNotFound,
    missingValue: 'no-such-tier',
    malformedValues: ['Not%20A%20Tier', '-', '%00', '%', '%ff', 'x'.repeat(64), 'STANDING'],
  },
  id: {
    error: errors.overrideNotFound,
    missingValue: '2147483647',
    malformedValues: ['x', '%', '%ff', '0', '-1', '1.5', '1e3', '0x1', '%201', '99999999999999999999', unknownId],
  },
  file: {
    error: errors.notFound,
    missingValue: 'nothing.js',
    malformedValues: ['..%2Fpackage.json', '%2e%2e', '%', '%ff', 'INITIALIZER.JS'],
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
