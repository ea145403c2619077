import {
  authorityOf,
  toCsv,
  dateOf,
  referenceTextOf,
  isAdmin,
  isSameEmail,
  operationsPerDayMax,
  PorticoError,
  type Cell,
  type CollectionId,
  type CollectionReference,
  type Principal,
  type ProfileId,
  type ProfileReference,
  type UsageGrouping,
  type UsageLine,
  type UseCases,
} from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse, toReadyResponse } from '../responses/route-response.ts';
import { prefersCsv } from '../responses/negotiation.ts';
import { collectionId, moment, numberParameter, profileId } from '../requests/fields.ts';
import { collectionReference, profileReference } from '../requests/references.ts';
import { defineRoute } from '../route.ts';
import { findProfileIdByEmail } from './profile-path.ts';
import { uuid } from './wire.ts';

const subjectFields = {
  day: z
    .string()
    .optional()
    .meta({ format: 'date', description: 'The day, in UTC; present with `by=day`.', examples: ['2026-01-31'] }),
  operation_key: z.string().optional().meta({ description: 'Present with `by=operation`.' }),
  method: z.string().nullable().optional().meta({
    description:
      'null if the operation no longer exists, or the caller may no longer see the collection; present with `by=operation`.',
  }),
  path: z.string().nullable().optional().meta({ description: 'As `method`.' }),
  collection_id: uuid.nullable().optional().meta({
    description:
      'null for uses that do not belong to one collection, such as searches; present with `by=collection` and `by=operation`.',
  }),
  collection_name: z.string().nullable().optional().meta({
    description:
      'Also null if the caller may no longer see the collection; present with `by=collection` and `by=operation`.',
  }),
  profile_id: uuid.optional().meta({ description: 'Present with `by=profile`.' }),
  profile_email: z.string().optional().meta({ description: 'Present with `by=profile`.' }),
};
const absentByOperation = 'Absent with `by=operation`.';
const counts = {
  reads: z
    .int()
    .optional()
    .meta({ description: `Reads of documents and metadata, including responses with 304. ${absentByOperation}` }),
  searches: z.int().optional().meta({ description: absentByOperation }),
  slices: z.int().meta({ description: 'Reads of individual operations.' }),
  calls: z.int().meta({ description: 'Calls of operations that the service made.' }),
  credential_reads: z
    .int()
    .optional()
    .meta({ description: `Reads of metadata that returned a stored credential. ${absentByOperation}` }),
  refused: z
    .int()
    .optional()
    .meta({
      description:
        'Requests rejected by the rate limit of the profile (429). With `by=collection`, they are counted in the line without a collection. ' +
        absentByOperation,
    }),
};
const usageLine = z.object({ ...subjectFields, ...counts }).meta({ id: 'UsageLine' });
type LineView = z.input<typeof usageLine>;

const countFields = Object.keys(counts) as (keyof typeof counts)[];
/** The fields of the lines, in order. */
const fieldNames: Readonly<Record<UsageGrouping, readonly (keyof LineView)[]>> = {
  day: ['day', ...countFields],
  collection: ['collection_id', 'collection_name', ...countFields],
  profile: ['profile_id', 'profile_email', ...countFields],
  operation: ['operation_key', 'method', 'path', 'collection_id', 'collection_name', 'slices', 'calls'],
};

const momentFormats =
  'An ISO 8601 date-time in any format, in UTC if it has no time zone; or a date without a time, which means the start of that day in UTC.';
const topMax = 1_000;

const filters = z.object({
  by: z
    .enum(['day', 'collection', 'profile', 'operation'])
    .default('day')
    .meta({ description: 'How to group the counts. Groups without uses are not listed.' }),
  collection_id: collectionId.optional().meta({ description: 'Only uses of this collection.' }),
  profile_id: profileId
    .optional()
    .meta({ description: 'Only uses by this profile. Only administrators may name other profiles.' }),
  collection: collectionReference.optional().meta({
    description:
      'Only uses of this collection. The id of the collection, or its name, which must be unique among visible collections.',
  }),
  profile: profileReference.optional().meta({
    description:
      'Only uses by this profile. The id or email address of the profile; only administrators may name other profiles.',
  }),
  from: moment.optional().meta({
    description: `Includes the day of this time and later days; by default, 30 days before the end. ${momentFormats}`,
    examples: ['2026-01-01'],
  }),
  to: moment.optional().meta({
    description: `Includes days that start before this time; by default, up to and including today. ${momentFormats}`,
    examples: ['2026-02-01'],
  }),
  top: numberParameter(1, topMax)
    .optional()
    .meta({ description: 'The maximum number of lines; those with the most uses and rejected requests come first.' }),
});

export const usageRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/usage',
    operation: 'readUsage',
    summary: 'Read usage counts',
    description:
      'Returns counts by day (oldest first), collection (sorted by name), profile (sorted by email address) or operation (sorted ' +
      'by collection, and then as in the document), at most 10,000 lines. Only slices and calls are counted by operation, of at ' +
      `most ${operationsPerDayMax.toLocaleString('en')} operations per profile and day. Administrators see ` +
      'all uses, other callers only their own. Counts are up to about 10 seconds behind and are kept for 400 days; those of a ' +
      'deleted profile or collection are deleted with it. Search queries are not stored. With `Accept: text/csv`, returns a table with a ' +
      'header row.',
    auth: 'token or key',
    scope: 'usage:read',
    query: filters,
    status: 200,
    alternativeMediaType: 'text/csv',
    response: z.array(usageLine),
    errors: ['admin_required', 'user_not_found', 'collection_not_found', 'name_shared'],
    handler: async ({ useCases, caller, query, request }) => {
      const lines = await useCases.readUsage(caller.principal, {
        by: query.by,
        collectionId: query.collection_id ?? (await collectionOf(useCases, caller.principal, query.collection)),
        profileId: query.profile_id ?? (await subjectOf(useCases, caller.principal, query.profile)),
        from: query.from ?? null,
        to: query.to ?? null,
        top: query.top ?? null,
      });
      const views = lines.map(toLineView);
      return prefersCsv(request.headers.accept)
        ? toReadyResponse(tableOf(query.by, views), csvHeaders)
        : toJsonResponse(views, { Vary: 'Accept' });
    },
  }),
] as const;

const collectionOf = async (
  useCases: UseCases,
  principal: Principal,
  reference: CollectionReference | undefined,
): Promise<CollectionId | null> => (reference ? useCases.findVisibleCollection(principal, reference) : null);

/** Returns the subject of a report. Only administrators may learn whether an email address is registered. */
const subjectOf = async (
  useCases: UseCases,
  principal: Principal,
  reference: ProfileReference | undefined,
): Promise<ProfileId | null> => {
  if (!reference) return null;
  const { id, email } = principal.profile;
  if (referenceTextOf(reference) === email || isSameEmail(referenceTextOf(reference), email)) return id;
  if (reference.by === 'name' && !isAdmin(principal.profile)) throw new PorticoError('admin_required');
  return reference.by === 'id' ? reference.id : findProfileIdByEmail(useCases, authorityOf(principal), reference.name);
};

const csvHeaders = {
  'Content-Type': 'text/csv; charset=utf-8; header=present',
  'Content-Disposition': 'attachment; filename="usage.csv"',
  Vary: 'Accept',
};

const tableOf = (grouping: UsageGrouping, views: readonly LineView[]): string => {
  const names = fieldNames[grouping];
  return toCsv(
    names,
    views.map((view) => names.map((name): Cell => view[name] ?? null)),
  );
};

const toLineView = ({ subject, counts: { slice, call, ...otherCounts } }: UsageLine): LineView => {
  const operationCounts = { slices: slice, calls: call };
  if (subject.by === 'operation') return { ...toSubjectView(subject), ...operationCounts };
  const { read, search, credential_read, refused } = otherCounts;
  return {
    ...toSubjectView(subject),
    ...{ reads: read, searches: search, ...operationCounts, credential_reads: credential_read, refused },
  };
};

const toSubjectView = (subject: UsageLine['subject']) => {
  switch (subject.by) {
    case 'day':
      return { day: dateOf(subject.day) };
    case 'collection':
      return { collection_id: subject.collectionId, collection_name: subject.collectionName };
    case 'profile':
      return { profile_id: subject.profileId, profile_email: subject.profileEmail };
    case 'operation':
      return {
        ...{ operation_key: subject.operationKey, method: subject.method, path: subject.path },
        ...{ collection_id: subject.collectionId, collection_name: subject.collectionName },
      };
  }
};
