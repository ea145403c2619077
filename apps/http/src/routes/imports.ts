import {
  collectionNameMax,
  importKeyMax,
  PorticoError,
  type ImportedDocument,
  type ImportPlan,
  type Operation,
  type ReadDocument,
} from '@portico/domain';
import { z } from 'zod';
import { json } from '../responses/route-response.ts';
import { booleanParameter, line, plainName } from '../requests/fields.ts';
import { defineRoute, documentMember } from '../route.ts';
import { openapiSpec, warnings, warningsOf } from './collection-views.ts';
import { withMemberName } from './collections.ts';
import { timestamp, uuid } from './wire.ts';

const published = z.object({
  import_key: line({ max: importKeyMax })
    .optional()
    .meta({
      description:
        'The origin of the document, such as its repository and path: the next import with this key updates ' +
        'the same collection. Without it, the collection of exactly this name is updated.',
      examples: ['acme/weather:openapi.yaml'],
    }),
  strict: booleanParameter
    .default(false)
    .meta({ description: 'Whether violations of the official OpenAPI schema are refused with 400.' }),
});

const fields = z.object({ name: plainName({ max: collectionNameMax }).meta({ examples: ['Tides and currents'] }) });
const body = z.object({ ...fields.shape, openapi_spec: openapiSpec }).meta({ id: 'ImportedDocument' });

const outcome = z.enum(['created', 'updated', 'unchanged']);
const descriptionDerived = z.boolean().meta({ description: "Whether it was derived from the document's text." });

const namesakes = z.array(uuid).optional().meta({
  description: 'Ids of other collections, if any, with the same name. Refer to all of them by id from then on.',
});

const imported = z
  .object({
    outcome,
    id: uuid,
    name: z.string(),
    description: z.string(),
    description_derived: descriptionDerived,
    updated_at: timestamp,
    namesakes,
    warnings: warnings.optional(),
  })
  .meta({ id: 'ImportedCollection' });

const change = z.object({ from: z.string(), to: z.string() });
/** The maximum number of added operations, and of removed operations, that are listed. */
const operationsListedMax = 100;
const operations = z.object({
  total: z.int(),
  first: z
    .array(z.string())
    .meta({ description: `\`METHOD path\` of at most ${operationsListedMax}, in the order of their document.` }),
});
const plan = z
  .object({
    outcome,
    id: uuid.nullable().meta({ description: 'null for a collection that would be created.' }),
    name: z.string(),
    description_derived: descriptionDerived,
    changes: z
      .object({
        name: change.optional(),
        description: change.optional(),
        document: z.boolean().meta({ description: 'Whether its text changes.' }),
        operations_added: operations,
        operations_removed: operations,
      })
      .meta({ description: 'An operation is the same if its method and path are.' }),
    namesakes,
    warnings: warnings.optional(),
  })
  .meta({ id: 'ImportPlan' });

export const importRoutes = [
  defineRoute({
    method: 'PUT',
    path: '/api/imports/',
    operation: 'importDocument',
    summary: 'Publish a document as a collection',
    description:
      'Creates the collection, or updates the one from the same origin, as `outcome` says; idempotent. ' +
      "The description is the document's own, else one that was written stays, else it derives from the document's text.",
    auth: 'admin',
    scope: 'catalog:write',
    query: published,
    bodyKind: 'document',
    body: fields,
    bodySchema: body,
    status: 200,
    response: imported,
    errors: ['name_shared'],
    handler: async ({ useCases, caller, query, body: { fields, document } }) => {
      const input = inputOf(query, fields.name, document);
      const { outcome, collection, namesakes } = await withMemberName(
        useCases.importCollection(caller.authority, caller.principal.profile.id, input),
      );
      const { id, name, description, descriptionDerived, updatedAt } = collection;
      const value = {
        ...{ outcome, id, name, description },
        description_derived: descriptionDerived && description !== '',
        updated_at: new Date(updatedAt).toISOString(),
        ...namesakesView(namesakes),
        ...warningsView(input.document),
      };
      return json(value);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/imports/plan',
    operation: 'planImport',
    summary: 'Preview publishing a document',
    description: 'Previews `PUT /api/imports/`, and fails if that would fail. Writes nothing.',
    auth: 'admin',
    scope: 'catalog:read',
    query: published,
    bodyKind: 'document',
    body: fields,
    bodySchema: body,
    status: 200,
    response: plan,
    errors: ['name_shared'],
    handler: async ({ useCases, caller, query, body: { fields, document } }) => {
      const input = inputOf(query, fields.name, document);
      const planned = await withMemberName(useCases.planImport(caller.authority, input));
      return json({
        ...planView(planned, input.document),
        ...namesakesView(planned.namesakes),
        ...warningsView(input.document),
      });
    },
  }),
] as const;

const inputOf = (
  { import_key, strict }: z.output<typeof published>,
  name: string,
  document: ReadDocument | null,
): ImportedDocument => {
  if (!document) throw new PorticoError('invalid_body', { because: `${documentMember} is required` });
  return { name, document, strict, importKey: import_key ?? null };
};

const namesakesView = (ids: readonly string[]) => (ids.length > 0 ? { namesakes: [...ids] } : {});

const warningsView = (document: ReadDocument) => {
  const documentWarnings = warningsOf(document);
  return documentWarnings ? { warnings: documentWarnings } : {};
};

const planView = (
  { outcome, current, planned, added, removed }: ImportPlan,
  { digest }: ReadDocument,
): z.input<typeof plan> => ({
  ...{ outcome, id: current?.id ?? null, name: planned.name },
  description_derived: planned.descriptionDerived && planned.description !== '',
  changes: {
    ...(current && current.name !== planned.name ? { name: { from: current.name, to: planned.name } } : {}),
    ...(current && current.description !== planned.description
      ? { description: { from: current.description, to: planned.description } }
      : {}),
    document: current?.documentDigest !== digest,
    operations_added: operationsView(added),
    operations_removed: operationsView(removed),
  },
});

const operationsView = (all: readonly Operation[]): z.input<typeof operations> => ({
  total: all.length,
  first: all.slice(0, operationsListedMax).map(({ method, path }) => `${method} ${path}`),
});
