import {
  authorityOf,
  csvText,
  dateOf,
  referenceText,
  isAdmin,
  isSameEmail,
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
import { json, ready } from '../responses/route-response.ts';
import { prefersCsv } from '../responses/negotiation.ts';
import { collectionId, moment, numberParameter, profileId } from '../requests/fields.ts';
import { collectionReference, profileReference } from '../requests/references.ts';
import { defineRoute } from '../route.ts';
import { profileIdByEmail } from './profile-path.ts';
import { uuid } from './wire.ts';

const subjects = {
  day: z
    .string()
    .optional()
    .meta({ format: 'date', description: 'In UTC; with `by=day`.', examples: ['2026-01-31'] }),
  collection_id: uuid
    .nullable()
    .optional()
    .meta({ description: 'null for uses without a single collection, such as searches; with `by=collection`.' }),
  collection_name: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'Also null if the caller may no longer see it; with `by=collection`.' }),
  profile_id: uuid.optional().meta({ description: 'With `by=profile`.' }),
  profile_email: z.string().optional().meta({ description: 'With `by=profile`.' }),
};
const counts = {
  reads: z.int().meta({ description: 'Of documents and metadata, unchanged ones (304) included.' }),
  searches: z.int(),
  slices: z.int().meta({ description: 'Reads of single operations.' }),
  credential_reads: z.int().meta({ description: 'Reads of metadata that returned a stored credential.' }),
  refused: z.int().meta({
    description: 'Requests over the rate limit of the profile (429); with `by=collection`, without a collection.',
  }),
};
const usageLine = z.object({ ...subjects, ...counts }).meta({ id: 'UsageLine' });
type LineView = z.input<typeof usageLine>;

/** The subject fields of the lines, in order; the counts follow them. */
const fieldsOf: Readonly<Record<UsageGrouping, readonly (keyof typeof subjects)[]>> = {
  day: ['day'],
  collection: ['collection_id', 'collection_name'],
  profile: ['profile_id', 'profile_email'],
};
const countFields = Object.keys(counts) as (keyof typeof counts)[];

const isMoment =
  'An ISO 8601 date-time in any of its forms, UTC if it has no zone; or a date alone, which is its first instant in UTC.';
const topMax = 1_000;

const filters = z.object({
  by: z
    .enum(['day', 'collection', 'profile'])
    .default('day')
    .meta({ description: 'How to group the lines; unused ones are not listed.' }),
  collection_id: collectionId.optional().meta({ description: 'Only uses of this collection.' }),
  profile_id: profileId.optional().meta({ description: "Only this profile's. Administrators may use any." }),
  collection: collectionReference.optional().meta({
    description: 'The same by its name, which must be unique among visible ones; or by its id.',
  }),
  profile: profileReference.optional().meta({ description: 'The same by its e-mail, or by its id.' }),
  from: moment.optional().meta({
    description: `The first day: that of this. 30 days before the end by default. ${isMoment}`,
    examples: ['2026-01-01'],
  }),
  to: moment.optional().meta({
    description: `The end: days that start before this. Today is included by default. ${isMoment}`,
    examples: ['2026-02-01'],
  }),
  top: numberParameter(1, topMax)
    .optional()
    .meta({ description: 'At most this many lines: most uses and refusals first.' }),
});

export const usageRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/usage',
    operation: 'readUsage',
    summary: 'Read usage counts',
    description:
      'By day (oldest first), collection (by name) or profile (by e-mail), at most 10,000 lines. Administrators see ' +
      "everyone's uses, any other caller its own. Counts are at most about 10 seconds behind, and kept for 400 days; those of a " +
      'deleted profile or collection go with it. Search queries are not stored. With `Accept: text/csv`, a table with a ' +
      'header row.',
    auth: 'token or key',
    scope: 'usage:read',
    query: filters,
    status: 200,
    otherMedia: 'text/csv',
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
      const views = lines.map(lineView);
      return prefersCsv(request.headers.accept)
        ? ready(tableOf(query.by, views), csvHeaders)
        : json(views, { Vary: 'Accept' });
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
  if (referenceText(reference) === email || isSameEmail(referenceText(reference), email)) return id;
  if (reference.by === 'name' && !isAdmin(principal.profile)) throw new PorticoError('admin_required');
  return reference.by === 'id' ? reference.id : profileIdByEmail(useCases, authorityOf(principal), reference.name);
};

const csvHeaders = {
  'Content-Type': 'text/csv; charset=utf-8; header=present',
  'Content-Disposition': 'attachment; filename="usage.csv"',
  Vary: 'Accept',
};

const tableOf = (by: UsageGrouping, views: readonly LineView[]): string => {
  const names = [...fieldsOf[by], ...countFields];
  return csvText(
    names,
    views.map((view) => names.map((name): Cell => view[name] ?? null)),
  );
};

const lineView = ({ of, counts: { read, search, slice, credential_read, refused } }: UsageLine): LineView => ({
  ...subjectView(of),
  ...{ reads: read, searches: search, slices: slice, credential_reads: credential_read, refused },
});

const subjectView = (of: UsageLine['of']) => {
  switch (of.by) {
    case 'day':
      return { day: dateOf(of.day) };
    case 'collection':
      return { collection_id: of.collectionId, collection_name: of.collectionName };
    case 'profile':
      return { profile_id: of.profileId, profile_email: of.profileEmail };
  }
};
