import {
  baseUrlMax,
  toIso,
  type Collection,
  type CollectionHead,
  type CollectionMetadata,
  type MetadataHints,
  type ReadDocument,
} from '@portico/domain';
import { z } from 'zod';
import { timestamp, uuid } from './wire.ts';

const nameFields = { id: uuid, name: z.string(), description: z.string() };
export const document = z
  .record(z.string(), z.unknown())
  .meta({ description: 'The OpenAPI document as sent, including key order and number literals.' });
const origin = {
  created_by: uuid.meta({ description: "The creator's id: a profile or a service account." }),
  created_at: timestamp,
};
export const warnings = z
  .object({
    total: z.int().meta({ description: 'Their number; counting stops at 10,000.' }),
    first: z.array(
      z.object({ pointer: z.string().meta({ description: 'JSON Pointer into the document.' }), message: z.string() }),
    ),
  })
  .meta({
    id: 'DocumentWarnings',
    description:
      'Content of the document that cannot be stored, and violations of the official OpenAPI schema: the first 20, and their number.',
  });

/**
 * Creates a schema that only documents a field: the document is validated when it is parsed (specification, section 4).
 */
const objectIn = (name: string) => ({ properties: { [name]: { type: 'object' } }, required: [name] });
const ofVersion31 = { properties: { openapi: { type: 'string', pattern: String.raw`^3\.1\.\d+(-.+)?$` } } };
export const openapiSpec = z.record(z.string(), z.unknown()).meta({
  description: 'An OpenAPI document, 3.0.x or 3.1.x. It is returned as sent.',
  properties: {
    openapi: { type: 'string', pattern: String.raw`^3\.[01]\.\d+(-.+)?$` },
    info: {
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
      additionalProperties: true,
    },
  },
  required: ['openapi', 'info'],
  anyOf: [
    objectIn('paths'),
    { allOf: [ofVersion31, objectIn('webhooks')] },
    { allOf: [ofVersion31, objectIn('components')] },
  ],
  examples: [{ openapi: '3.0.3', info: { title: 'Weather', version: '1.0.0' }, paths: {} }],
});

const extras = {
  discoverable: z.boolean().optional().meta({
    description:
      'Whether any approved client may see its name and description and request it. With `?include=discoverable`.',
  }),
  last_used_at: timestamp
    .nullable()
    .optional()
    .meta({
      description:
        'When it was last read: for an administrator by anyone, for a client by itself; null if not within 400 days. ' +
        'With `?include=usage`.',
    }),
};

export const wholeCollection = z
  .object({ ...nameFields, openapi_spec: document, ...origin, ...extras })
  .meta({ id: 'Collection' });
export const createdCollection = z
  .object({ ...nameFields, openapi_spec: document, ...origin, updated_at: timestamp, warnings: warnings.optional() })
  .meta({ id: 'CreatedCollection' });
export const updatedCollection = z
  .object({ ...nameFields, updated_at: timestamp, warnings: warnings.optional() })
  .meta({ id: 'UpdatedCollection' });
export const listedCollection = z
  .object({ ...nameFields, created_at: timestamp, updated_at: timestamp, ...extras })
  .meta({ id: 'ListedCollection' });
const baseUrl = z.string().meta({
  description: `The document's first server, variables replaced by their defaults; \`/\` if there is none, or if it is longer than ${baseUrlMax.toLocaleString('en')} characters.`,
  maxLength: baseUrlMax,
  examples: ['https://api.example.com/v1'],
});
const scheme = {
  type: z.enum(['apiKey', 'bearer', 'basic', 'none']),
  name: z.string().nullable(),
};
const place = z.enum(['header', 'query', 'cookie']).optional().meta({ description: 'Only for `apiKey`.' });

export const metadata = z
  .object({
    ...nameFields,
    base_url: baseUrl,
    authentication: z.object({
      ...scheme,
      value: z.string().nullable(),
      in: place,
      value_hint: z.string().nullable().optional().meta({ description: 'With `include=hints`: its meaning.' }),
    }),
    deprecated: z.boolean().optional().meta({ description: 'With `include=hints`: whether all operations are.' }),
  })
  .meta({ id: 'CollectionMetadata' });

export const summary = z
  .object({
    ...nameFields,
    base_url: baseUrl,
    authentication: z.object({
      ...scheme,
      in: place,
      has_value: z.boolean().meta({ description: 'Whether a credential is stored (see the metadata).' }),
      is_set: z.boolean().meta({ description: 'Whether an administrator set it; else it comes from the document.' }),
    }),
    discoverable: z.boolean().meta({ description: 'Whether the catalog shows it to clients without a grant.' }),
    ...origin,
    updated_at: timestamp,
  })
  .meta({ id: 'CollectionSummary' });

export const updatedCollectionView = (
  { id, name, description, updatedAt }: CollectionHead,
  violations: z.input<typeof warnings> | null,
): z.input<typeof updatedCollection> => ({
  id,
  name,
  description,
  updated_at: toIso(updatedAt),
  ...(violations ? { warnings: violations } : {}),
});

/** Returns the warnings about a document that departs from the official schema; null if there are none. */
export const warningsOf = ({ warnings: { total, first } }: ReadDocument): z.input<typeof warnings> | null =>
  total > 0 ? { total, first: first.map(({ pointer, message }) => ({ pointer, message })) } : null;

export const summaryView = (collection: Collection): z.input<typeof summary> => {
  const { type, name, in: where } = collection.storedAuthentication ?? collection.derivedAuthentication;
  const hasValue = (collection.storedAuthentication?.sealedValue ?? null) !== null;
  const isSet = collection.storedAuthentication !== null;
  return {
    id: collection.id,
    name: collection.name,
    description: collection.description,
    base_url: collection.baseUrl,
    authentication: { type, name, ...(where === null ? {} : { in: where }), has_value: hasValue, is_set: isSet },
    discoverable: collection.discoverable,
    created_by: collection.createdBy,
    created_at: toIso(collection.createdAt),
    updated_at: toIso(collection.updatedAt),
  };
};

export const metadataView = (
  { collection, authentication }: CollectionMetadata,
  hints: MetadataHints | null,
): z.input<typeof metadata> => {
  const { id, name, description, baseUrl } = collection;
  const { type, name: parameter, value, in: place } = authentication;
  return {
    id,
    name,
    description,
    base_url: baseUrl,
    authentication: {
      type,
      name: parameter,
      value,
      ...(place === null ? {} : { in: place }),
      ...(hints ? { value_hint: hints.valueHint } : {}),
    },
    ...(hints ? { deprecated: hints.deprecated } : {}),
  };
};
