import {
  collectionDescriptionMax,
  collectionNameMax,
  credentialMax,
  parameterNameMax,
  PorticoError,
  requireReadableTarget,
  SchemaViolationError,
  type AuthenticationInput,
} from '@portico/domain';
import { z } from 'zod';
import { toJsonResponse, createNotModifiedResponse } from '../responses/route-response.ts';
import { matchesIfNoneMatch } from '../responses/negotiation.ts';
import {
  booleanParameter,
  clearable,
  line,
  optional,
  plainName,
  removable,
  text,
  wordsParameter,
} from '../requests/fields.ts';
import { baseUrlField, serverVariablesField } from '../requests/server-fields.ts';
import { defineRoute, documentMember } from '../route.ts';
import {
  createCollectionResponse,
  createCollectionWithExtrasResponse,
  createNewCollectionResponse,
  createDocumentResponse,
  ifMatchConditionOf,
  metadataEtagOf,
  createYamlResponse,
} from './collection-responses.ts';
import { readExtras, includedExtras, scopedExtras } from './collection-extras.ts';
import {
  createdCollection,
  document as openApiDocument,
  metadata,
  toMetadataView,
  openapiSpec,
  updatedCollection,
  toUpdatedCollectionView,
  warningsOf,
  collectionWithDocument,
} from './collection-views.ts';
import { collectionIdOf, collectionParameter, message } from './wire.ts';

/** Without this, linters assume that a subschema forbids all members that it does not list. */
const openSchema = { additionalProperties: true };
const createTypeSchema = (type: string) => ({ properties: { type: { const: type } }, ...openSchema });
const authentication = z
  .object({
    type: z.enum(['apiKey', 'bearer', 'basic', 'none']),
    name: optional(line({ max: parameterNameMax })).meta({
      description:
        'The name of the header, parameter or cookie; required for `apiKey`, otherwise `Authorization` by default.',
    }),
    value: optional(line({ max: credentialMax })).meta({
      description: 'The credential, which is stored encrypted. If absent, the stored credential is kept.',
      writeOnly: true,
    }),
    in: optional(z.enum(['header', 'query', 'cookie'])).meta({
      description: 'Only for `apiKey`; `header` by default.',
    }),
  })
  .meta({
    id: 'AuthenticationInput',
    description: "How calls to the collection's API authenticate.",
    // The two rules of the transform below, in JSON Schema.
    allOf: [
      { if: createTypeSchema('none'), then: { properties: { value: { enum: ['', null] } }, ...openSchema } },
      {
        if: createTypeSchema('apiKey'),
        then: { properties: { name: { type: 'string', minLength: 1 } }, required: ['name'], ...openSchema },
      },
    ],
  })
  .transform(({ type, name = null, in: location = null, value: inputValue }, context): AuthenticationInput => {
    const value = inputValue ?? undefined;
    if (type === 'bearer' || type === 'basic') return { type, name, value };
    if (type === 'none' && value === undefined) return { type };
    if (type === 'apiKey' && name !== null) return { type, name, in: location, value };
    const [field, error] =
      type === 'none' ? ['value', 'must be absent if the type is none'] : ['name', 'is required if the type is apiKey'];
    context.addIssue({ code: 'custom', path: [field], message: error });
    return z.NEVER;
  });

const name = plainName({ max: collectionNameMax });
const description = text({ max: collectionDescriptionMax });

const discoverable = optional(z.boolean()).meta({
  description:
    'Whether approved clients without a grant see the name and description of the collection in the catalog and may request access.',
});

const baseUrlDescription =
  "The base URL for calls, instead of the document's own servers; operations with servers of their own keep them.";
const variablesDescription = "The values of server variables by name, instead of the document's defaults.";

const newFields = z.object({
  name: name.meta({ examples: ['Weather'] }),
  description: optional(description).meta({ default: '', examples: ['Forecasts and observations.'] }),
  authentication: optional(authentication).meta({
    examples: [{ type: 'apiKey', name: 'X-Api-Key', in: 'header', value: 'the-credential' }],
  }),
  discoverable: discoverable.meta({ default: false }),
  base_url: optional(baseUrlField).meta({ description: baseUrlDescription }),
  server_variables: optional(serverVariablesField).meta({ description: variablesDescription }),
});
const newCollection = z.object({ ...newFields.shape, openapi_spec: openapiSpec }).meta({ id: 'NewCollection' });

const changedFields = z.object({
  name: optional(name).meta({ examples: ['Weather'] }),
  description: clearable(description).meta({
    description: 'null or an empty string clears the description.',
    examples: ['Forecasts and observations.'],
  }),
  authentication: removable(authentication).meta({
    description: 'null removes the authentication; an empty string does not.',
  }),
  discoverable,
  base_url: removable(baseUrlField).meta({ description: `${baseUrlDescription} null removes it.` }),
  server_variables: removable(serverVariablesField).meta({
    description: `${variablesDescription} Replaces all of them; null removes them.`,
  }),
});
const collectionChange = z
  .object({ ...changedFields.shape, openapi_spec: optional(openapiSpec) })
  .meta({ id: 'CollectionChange' });

const strictQuery = z.object({
  strict: booleanParameter
    .default(false)
    .meta({ description: 'Whether violations of the official OpenAPI schema are rejected with 400.' }),
});

const includes = z.object({ include: includedExtras });

export const collectionRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id',
    operation: 'readCollection',
    summary: 'Read a collection with its OpenAPI document',
    description:
      'The document is returned exactly as it was sent. With `If-None-Match`, it is returned only if it has changed; with ' +
      '`include` always.',
    params: collectionParameter,
    targetDetail: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    scopedParts: scopedExtras,
    query: includes,
    status: 200,
    isConditional: true,
    response: collectionWithDocument,
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, bodies, caller: { principal }, query, request }) => {
      const collection = requireReadableTarget(principal);
      const { id } = collection;
      const response = query.include
        ? await createCollectionWithExtrasResponse(
            request,
            await useCases.readDocument(collection),
            await readExtras(useCases, principal, query.include, [collection]),
          )
        : await createCollectionResponse(request, bodies, collection, () => useCases.readDocument(collection));
      useCases.countUse(principal, 'read', id);
      return response;
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/metadata',
    operation: 'readMetadata',
    summary: "Read how to call a collection's API",
    description:
      'The base URL and how to authenticate. `authentication.value` is the stored credential for everyone, if there is one; ' +
      'reading it is audited. It is null, with a `value_hint`, if the delivery is `call`, or if the grants of the client limit ' +
      'which operations it may call.',
    params: collectionParameter,
    targetDetail: 'full',
    auth: 'token or key',
    scope: null,
    query: z.object({
      include: wordsParameter(['hints']).optional().meta({
        description: '`hints` adds `deprecated`, and `value_hint`, which describes the credential.',
      }),
    }),
    status: 200,
    isConditional: true,
    response: metadata,
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, caller, query, request }) => {
      const collectionMetadata = await useCases.readMetadata(caller.principal);
      const hints = query.include ? await useCases.readMetadataHints(collectionMetadata) : null;
      if (collectionMetadata.authentication.value !== null)
        return toJsonResponse(toMetadataView(collectionMetadata, hints));
      const { collection, withheldHint } = collectionMetadata;
      const etag = metadataEtagOf(collection, hints !== null, withheldHint !== null);
      const headers = { 'Cache-Control': 'private, no-cache', ETag: etag };
      return matchesIfNoneMatch(request.headers['if-none-match'], etag)
        ? createNotModifiedResponse(headers)
        : toJsonResponse(toMetadataView(collectionMetadata, hints), headers);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/openapi.json',
    operation: 'readDocument',
    summary: "Read a collection's OpenAPI document alone",
    description:
      'The text is returned exactly as it was sent, except that a Swagger 2.0 document was converted to OpenAPI 3.0 when ' +
      'it was imported; `original=true` returns the text before that. With `If-None-Match`, it is returned only if it has changed.',
    params: collectionParameter,
    targetDetail: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    query: z.object({
      original: booleanParameter
        .default(false)
        .meta({ description: 'Whether to return the text before a conversion.' }),
    }),
    status: 200,
    isConditional: true,
    response: openApiDocument,
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, caller, query, request }) => {
      const collection = requireReadableTarget(caller.principal);
      const response = await (query.original && collection.original
        ? createDocumentResponse(request, collection.original.digest, () => useCases.readOriginal(collection))
        : createDocumentResponse(request, collection.documentDigest, async () => {
            const { collection: current, document } = await useCases.readDocument(collection);
            return { digest: current.documentDigest, document };
          }));
      useCases.countUse(caller.principal, 'read', collection.id);
      return response;
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/openapi.yaml',
    operation: 'readDocumentAsYaml',
    summary: "Read a collection's OpenAPI document alone, as YAML",
    description:
      'Keeps the order of members and the notation of numbers. Each caller can have one conversion running and two waiting; ' +
      'any more are rejected with 429.',
    params: collectionParameter,
    targetDetail: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    status: 200,
    isConditional: true,
    mediaType: 'application/yaml',
    response: z.string(),
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, bodies, caller: { principal }, request }) => {
      const collection = requireReadableTarget(principal);
      const response = await createYamlResponse(request, bodies, collection, () => useCases.readYaml(principal));
      useCases.countUse(principal, 'read', collection.id);
      return response;
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/collections/',
    operation: 'createCollection',
    summary: 'Create a collection',
    description: 'The collection can be found by search once it is embedded, usually within a second.',
    auth: 'admin',
    scope: 'catalog:write',
    query: strictQuery,
    bodyKind: 'document',
    body: newFields,
    bodySchema: newCollection,
    status: 201,
    linkParameters: { collection_id: '$response.body#/id' },
    response: createdCollection,
    handler: async ({ useCases, caller, query, body: { fields, document }, request }) => {
      if (!document) throw new PorticoError('invalid_body', { reason: `${documentMember} is required` });
      const collection = await addMemberName(
        useCases.createCollection(caller.authority, caller.principal.profile.id, {
          name: fields.name,
          description: fields.description ?? '',
          authentication: fields.authentication ?? null,
          discoverable: fields.discoverable ?? undefined,
          baseUrl: fields.base_url,
          serverVariables: fields.server_variables,
          document,
          strict: query.strict,
        }),
      );
      return createNewCollectionResponse(request, collection, document.packed, warningsOf(document));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/collections/:collection_id',
    operation: 'updateCollection',
    summary: 'Change a collection',
    description:
      'Absent fields keep their value. If nothing changes, nothing is written, and `updated_at` is not changed. With `If-Match`, ' +
      'the collection is changed only if it is still in the state that was read.',
    params: collectionParameter,
    auth: 'admin',
    scope: 'catalog:write',
    query: strictQuery,
    bodyKind: 'document',
    // Accepted only for a collection that holds such a document.
    extraVersions: ['3.2'],
    body: changedFields,
    bodySchema: collectionChange,
    status: 200,
    supportsIfMatch: true,
    response: updatedCollection,
    errors: ['collection_not_found'],
    handler: async ({ useCases, caller, params, query, body: { fields, document }, request }) => {
      const edit = {
        name: fields.name ?? undefined,
        description: fields.description === null ? '' : fields.description,
        authentication: fields.authentication,
        discoverable: fields.discoverable ?? undefined,
        baseUrl: fields.base_url,
        serverVariables: fields.server_variables,
        document: document ?? undefined,
        strict: query.strict,
      };
      const id = collectionIdOf(params.collection_id);
      const { collection, documentChange } = await addMemberName(
        useCases.updateCollection(caller.authority, id, edit, ifMatchConditionOf(request)),
      );
      return toJsonResponse(
        toUpdatedCollectionView(collection, document ? warningsOf(document) : null, documentChange),
      );
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/collections/:collection_id',
    operation: 'removeCollection',
    summary: 'Delete a collection',
    description:
      'Irreversible. Also deletes the grants and the embedding of the collection. With `If-Match`, deletes it only if it is still in the state that was read.',
    params: collectionParameter,
    auth: 'admin',
    scope: 'catalog:write',
    status: 200,
    supportsIfMatch: true,
    response: message,
    errors: ['collection_not_found'],
    handler: async ({ useCases, caller, params, request }) => {
      const id = collectionIdOf(params.collection_id);
      await useCases.removeCollection(caller.authority, id, ifMatchConditionOf(request));
      return toJsonResponse({ message: 'Collection deleted' });
    },
  }),
] as const;

/** Adds the name of the document's member to an error about the document's violations. */
export const addMemberName = <Outcome>(change: Promise<Outcome>): Promise<Outcome> =>
  change.catch((error: unknown) => {
    throw error instanceof SchemaViolationError ? error.withName(documentMember) : error;
  });
