import {
  collectionNameMax,
  importKeyMax,
  PorticoError,
  type ImportedDocument,
  type ImportPlan,
  type Operation,
  type ReadDocument,
  toDocumentChangesView,
} from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse } from '../responses/route-response.ts';
import { booleanParameter, line, plainName } from '../requests/fields.ts';
import { defineRoute, documentMember } from '../route.ts';
import { replacedDocument, toReplacedDocumentView } from './change-views.ts';
import { affected, readAffectedView } from './affected-views.ts';
import { convertedFrom, convertedFromOf, importedSpec, warnings } from './collection-views.ts';
import { addMemberName } from './collections.ts';
import { timestamp, uuid } from './wire.ts';

const importQuery = z.object({
  import_key: line({ max: importKeyMax })
    .optional()
    .meta({
      description:
        'Identifies the origin of the document, such as its repository and path: the next import with this key updates ' +
        'the same collection. If absent, the collection with exactly this name is updated.',
      examples: ['acme/weather:openapi.yaml'],
    }),
  strict: booleanParameter
    .default(false)
    .meta({ description: 'Whether violations of the official OpenAPI schema are rejected with 400.' }),
});

const fields = z.object({ name: plainName({ max: collectionNameMax }).meta({ examples: ['Tides and currents'] }) });
const body = z.object({ ...fields.shape, openapi_spec: importedSpec }).meta({ id: 'ImportedDocument' });

const outcome = z.enum(['created', 'updated', 'unchanged']);
const descriptionDerived = z
  .boolean()
  .meta({ description: 'Whether the description was derived from the text of the document.' });

const namesakes = z.array(uuid).optional().meta({
  description:
    'The ids of other collections with the same name, if there are any. From then on, refer to all of them by id.',
});

const importedCollection = z
  .object({
    outcome,
    id: uuid,
    name: z.string(),
    description: z.string(),
    description_derived: descriptionDerived,
    converted_from: convertedFrom,
    updated_at: timestamp,
    namesakes,
    warnings: warnings.optional(),
    changes: replacedDocument.optional(),
  })
  .meta({ id: 'ImportedCollection' });

const change = z.object({ from: z.string(), to: z.string() });
/** The maximum number of added operations, and of removed operations, that are listed. */
const listedOperationsMax = 100;
const operations = z.object({
  total: z.int(),
  first: z.array(z.string()).meta({
    description: `\`METHOD path\` of at most ${listedOperationsMax} operations, in the order of the document.`,
  }),
});
const plan = z
  .object({
    outcome,
    id: uuid.nullable().meta({ description: 'The id of the collection; null if it would be created.' }),
    name: z.string(),
    description_derived: descriptionDerived,
    converted_from: convertedFrom,
    changes: z
      .object({
        name: change.optional(),
        description: change.optional(),
        document: z.boolean().meta({ description: 'Whether the text of the document changes.' }),
        operations_added: operations,
        operations_removed: operations,
      })
      .meta({ description: 'Operations are the same if method and path are the same.' }),
    comparison: replacedDocument
      .optional()
      .meta({ description: 'The changes that callers may notice, if an existing document changes.' }),
    affected: affected
      .optional()
      .meta({ description: 'The clients that breaking changes concern, if there are breaking changes of operations.' }),
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
      'Creates the collection, or updates the collection from the same origin; `outcome` says which. Idempotent. ' +
      'Swagger 2.0 is converted to OpenAPI 3.0; OpenAPI 3.2 is stored as sent and read as 3.1. Nothing that the document refers to is fetched: ' +
      'the warnings name the references that lead out of it. ' +
      'The description is taken from the document. If the document has none, an existing description is kept; otherwise it is derived from the text of the document.',
    auth: 'admin',
    scope: 'catalog:write',
    query: importQuery,
    bodyKind: 'document',
    extraVersions: ['2.0', '3.2'],
    body: fields,
    bodySchema: body,
    status: 200,
    response: importedCollection,
    errors: ['name_shared'],
    handler: async ({ useCases, caller, query, body: { fields, document } }) => {
      const input = inputOf(query, fields.name, document);
      const { outcome, collection, namesakes, documentChange } = await addMemberName(
        useCases.importCollection(caller.authority, caller.principal.profile.id, input),
      );
      const { id, name, description, descriptionDerived, updatedAt } = collection;
      const value = {
        ...{ outcome, id, name, description },
        description_derived: descriptionDerived && description !== '',
        converted_from: convertedFromOf(input.document),
        updated_at: new Date(updatedAt).toISOString(),
        ...toNamesakesView(namesakes),
        ...toWarningsView(input.document),
        ...toReplacedDocumentView(documentChange),
      };
      return toJsonResponse(value);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/imports/plan',
    operation: 'planImport',
    summary: 'Preview publishing a document',
    description: 'Previews `PUT /api/imports/`, and fails if that request would fail. Changes nothing.',
    auth: 'admin',
    scope: 'catalog:read',
    query: importQuery,
    bodyKind: 'document',
    extraVersions: ['2.0', '3.2'],
    body: fields,
    bodySchema: body,
    status: 200,
    response: plan,
    errors: ['name_shared'],
    handler: async ({ useCases, caller, query, body: { fields, document } }) => {
      const input = inputOf(query, fields.name, document);
      const importPlan = await addMemberName(useCases.planImport(caller.authority, input));
      return toJsonResponse({
        ...toPlanView(importPlan, input.document),
        ...(await readAffectedView(useCases, caller, importPlan)),
        ...toNamesakesView(importPlan.namesakes),
        ...toWarningsView(input.document),
      });
    },
  }),
] as const;

const inputOf = (
  { import_key, strict }: z.output<typeof importQuery>,
  name: string,
  document: ReadDocument | null,
): ImportedDocument => {
  if (!document) throw new PorticoError('invalid_body', { reason: `${documentMember} is required` });
  return { name, document, strict, importKey: import_key ?? null };
};

const toNamesakesView = (ids: readonly string[]) => (ids.length > 0 ? { namesakes: [...ids] } : {});

/** The maximum number of warnings that are listed. */
const listedWarningsMax = 20;

/** Returns the notices, then the violations of the official schema; without either, there is no member. */
const toWarningsView = ({
  notices,
  warnings: { total, first },
}: ReadDocument): { warnings?: z.input<typeof warnings> } =>
  notices.length + total === 0
    ? {}
    : {
        warnings: {
          total: notices.length + total,
          first: [...notices, ...first]
            .slice(0, listedWarningsMax)
            .map(({ pointer, message }) => ({ pointer, message })),
        },
      };

const toPlanView = (
  { outcome, current, plannedFields, addedOperations, removedOperations, documentChange }: ImportPlan,
  document: ReadDocument,
): z.input<typeof plan> => ({
  ...{ outcome, id: current?.id ?? null, name: plannedFields.name },
  description_derived: plannedFields.descriptionDerived && plannedFields.description !== '',
  converted_from: convertedFromOf(document),
  changes: {
    ...(current && current.name !== plannedFields.name ? { name: { from: current.name, to: plannedFields.name } } : {}),
    ...(current && current.description !== plannedFields.description
      ? { description: { from: current.description, to: plannedFields.description } }
      : {}),
    document: current?.documentDigest !== plannedFields.documentDigest,
    operations_added: toChangedOperationsView(addedOperations),
    operations_removed: toChangedOperationsView(removedOperations),
  },
  ...(documentChange ? { comparison: toDocumentChangesView(documentChange.comparison) } : {}),
});

const toChangedOperationsView = (changedOperations: readonly Operation[]): z.input<typeof operations> => ({
  total: changedOperations.length,
  first: changedOperations.slice(0, listedOperationsMax).map(({ method, path }) => `${method} ${path}`),
});
