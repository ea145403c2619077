import {
  baseUrlMax,
  isConverted,
  toIso,
  type Collection,
  type CollectionHead,
  type CollectionMetadata,
  type DocumentChange,
  type MetadataHints,
  type ReadDocument,
} from '@portico/domain';
import { z } from 'zod';
import { replacedDocument, toReplacedDocumentView } from './change-views.ts';
import { lifecycle, tagList, toLifecycleView } from './lifecycle-views.ts';
import { timestamp, uuid } from './wire.ts';

const nameFields = { id: uuid, name: z.string(), description: z.string() };
export const document = z
  .record(z.string(), z.unknown())
  .meta({ description: 'The OpenAPI document as sent, including key order and number literals.' });
const origin = {
  created_by: uuid.meta({ description: 'The id of the profile or service account that created the collection.' }),
  created_at: timestamp,
};
export const convertedFrom = z
  .string()
  .nullable()
  .meta({ description: 'The version that the document was converted from, `2.0`; null if it is stored as sent.' });
export const convertedFromOf = ({ original }: Pick<Collection, 'original'>): string | null =>
  original && isConverted(original) ? original.version : null;
export const warnings = z
  .object({
    total: z.int().meta({ description: 'The number of warnings, at most 10,000.' }),
    first: z.array(
      z.object({ pointer: z.string().meta({ description: 'JSON Pointer into the document.' }), message: z.string() }),
    ),
  })
  .meta({
    id: 'DocumentWarnings',
    description:
      'Content of the document that cannot be stored, and violations of the official OpenAPI schema: the first 20, and the total. ' +
      'An import first lists values that are lost, parts that are in other files or not understood, and an unusable base address.',
  });

/**
 * Creates a schema that only documents a field: the document is validated when it is parsed (specification, section 4).
 */
const objectIn = (name: string) => ({ properties: { [name]: { type: 'object' } }, required: [name] });
const version31 = { properties: { openapi: { type: 'string', pattern: String.raw`^3\.1\.\d+(-.+)?$` } } };
const info = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
  additionalProperties: true,
};
export const openapiSpec = z.record(z.string(), z.unknown()).meta({
  description: 'An OpenAPI document, 3.0.x or 3.1.x. It is returned as sent.',
  properties: {
    openapi: { type: 'string', pattern: String.raw`^3\.[01]\.\d+(-.+)?$` },
    info,
  },
  required: ['openapi', 'info'],
  anyOf: [
    objectIn('paths'),
    { allOf: [version31, objectIn('webhooks')] },
    { allOf: [version31, objectIn('components')] },
  ],
  examples: [{ openapi: '3.0.3', info: { title: 'Weather', version: '1.0.0' }, paths: {} }],
});

const declares = (name: string, schema: object) => ({ properties: { [name]: schema }, required: [name] });
const importedVersion = (minors: string) =>
  declares('openapi', { type: 'string', pattern: String.raw`^3\.[${minors}]\.\d+(-.+)?$` });
/** The document of an import, which accepts more versions. */
export const importedSpec = z.record(z.string(), z.unknown()).meta({
  description:
    'An OpenAPI document, 3.0.x or 3.1.x, returned as sent; 3.2.x, returned as sent and read as 3.1; or Swagger 2.0, ' +
    'converted to OpenAPI 3.0.',
  properties: { info },
  required: ['info'],
  anyOf: [
    { allOf: [importedVersion('012'), objectIn('paths')] },
    { allOf: [importedVersion('12'), objectIn('webhooks')] },
    { allOf: [importedVersion('12'), objectIn('components')] },
    { allOf: [declares('swagger', { const: '2.0' }), objectIn('paths')] },
  ],
  examples: [{ openapi: '3.0.3', info: { title: 'Weather', version: '1.0.0' }, paths: {} }],
});

const extras = {
  discoverable: z.boolean().optional().meta({
    description:
      'Whether all approved clients may see the name and description of the collection and request access; present with `?include=discoverable`.',
  }),
  last_used_at: timestamp
    .nullable()
    .optional()
    .meta({
      description:
        'When the collection was last read. Administrators see the last read by anyone, clients their own last read; null if there was none within 400 days. ' +
        'Present with `?include=usage`.',
    }),
  lifecycle: lifecycle.optional().meta({ description: 'Present with `?include=lifecycle`.' }),
  tags: tagList.optional().meta({ description: 'Present with `?include=tags`.' }),
};

export const collectionWithDocument = z
  .object({ ...nameFields, openapi_spec: document, ...origin, ...extras })
  .meta({ id: 'Collection' });
export const createdCollection = z
  .object({ ...nameFields, openapi_spec: document, ...origin, updated_at: timestamp, warnings: warnings.optional() })
  .meta({ id: 'CreatedCollection' });
export const updatedCollection = z
  .object({
    ...nameFields,
    updated_at: timestamp,
    warnings: warnings.optional(),
    changes: replacedDocument.optional(),
  })
  .meta({ id: 'UpdatedCollection' });
export const listedCollection = z
  .object({ ...nameFields, created_at: timestamp, updated_at: timestamp, ...extras })
  .meta({ id: 'ListedCollection' });
const baseUrl = z.string().meta({
  description: `The first server of the document, with variables replaced by their defaults; \`/\` if there is none, or if it is longer than ${baseUrlMax.toLocaleString('en')} characters.`,
  maxLength: baseUrlMax,
  examples: ['https://api.example.com/v1'],
});
const scheme = {
  type: z.enum(['apiKey', 'bearer', 'basic', 'none']),
  name: z.string().nullable(),
};
const credentialLocation = z.enum(['header', 'query', 'cookie']).optional().meta({ description: 'Only for `apiKey`.' });

export const metadata = z
  .object({
    ...nameFields,
    base_url: baseUrl,
    authentication: z.object({
      ...scheme,
      value: z.string().nullable(),
      in: credentialLocation,
      value_hint: z.string().nullable().optional().meta({
        description: 'A description of the credential, present with `?include=hints`; or why it is not shown.',
      }),
    }),
    deprecated: z
      .boolean()
      .optional()
      .meta({ description: 'Whether all operations are deprecated; present with `?include=hints`.' }),
  })
  .meta({ id: 'CollectionMetadata' });

export const summary = z
  .object({
    ...nameFields,
    base_url: baseUrl,
    authentication: z.object({
      ...scheme,
      in: credentialLocation,
      has_value: z.boolean().meta({ description: 'Whether a credential is stored (see the metadata).' }),
      is_set: z.boolean().meta({
        description: 'Whether an administrator set the authentication; otherwise it comes from the document.',
      }),
    }),
    converted_from: convertedFrom,
    lifecycle,
    tags: tagList,
    discoverable: z
      .boolean()
      .meta({ description: 'Whether the catalog shows the collection to clients without a grant.' }),
    settings: z.object({
      base_url: z.string().nullable().meta({
        description: "Set by an administrator, instead of the document's servers; null if not set.",
      }),
      server_variables: z.record(z.string(), z.string()).meta({ description: 'Set by an administrator.' }),
    }),
    ...origin,
    updated_at: timestamp,
  })
  .meta({ id: 'CollectionSummary' });

export const toUpdatedCollectionView = (
  { id, name, description, updatedAt }: CollectionHead,
  violations: z.input<typeof warnings> | null,
  documentChange: DocumentChange | null,
): z.input<typeof updatedCollection> => ({
  id,
  name,
  description,
  updated_at: toIso(updatedAt),
  ...(violations ? { warnings: violations } : {}),
  ...toReplacedDocumentView(documentChange),
});

/** Returns the warnings about a document that violates the official schema; null if there are none. */
export const warningsOf = ({ warnings: { total, first } }: ReadDocument): z.input<typeof warnings> | null =>
  total > 0 ? { total, first: first.map(({ pointer, message }) => ({ pointer, message })) } : null;

export const toSummaryView = (collection: Collection): z.input<typeof summary> => {
  const { type, name, in: location } = collection.storedAuthentication ?? collection.derivedAuthentication;
  const hasValue = (collection.storedAuthentication?.sealedValue ?? null) !== null;
  const isSet = collection.storedAuthentication !== null;
  return {
    id: collection.id,
    name: collection.name,
    description: collection.description,
    base_url: collection.baseUrl,
    authentication: { type, name, ...(location === null ? {} : { in: location }), has_value: hasValue, is_set: isSet },
    converted_from: convertedFromOf(collection),
    lifecycle: toLifecycleView(collection.lifecycle),
    tags: [...collection.tags],
    discoverable: collection.discoverable,
    settings: { base_url: collection.baseUrlSetting, server_variables: collection.serverVariables },
    created_by: collection.createdBy,
    created_at: toIso(collection.createdAt),
    updated_at: toIso(collection.updatedAt),
  };
};

export const toMetadataView = (
  { collection, authentication, withheldHint }: CollectionMetadata,
  hints: MetadataHints | null,
): z.input<typeof metadata> => {
  const { id, name, description, baseUrl } = collection;
  const { type, name: parameter, value, in: location } = authentication;
  return {
    id,
    name,
    description,
    base_url: baseUrl,
    authentication: {
      type,
      name: parameter,
      value,
      ...(location === null ? {} : { in: location }),
      ...(hints ? { value_hint: hints.valueHint } : withheldHint === null ? {} : { value_hint: withheldHint }),
    },
    ...(hints ? { deprecated: hints.deprecated } : {}),
  };
};
