import {
  collectionDescriptionMax,
  collectionNameMax,
  credentialMax,
  parameterNameMax,
  PorticoError,
  readableTarget,
  SchemaViolationError,
  type AuthenticationInput,
} from '@portico/domain';
import { z } from 'zod';
import { json, notModified } from '../responses/route-response.ts';
import { ifNoneMatchLists } from '../responses/negotiation.ts';
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
import { defineRoute, documentMember } from '../route.ts';
import {
  collectionResponse,
  collectionWithExtrasResponse,
  createdResponse,
  documentResponse,
  expectedState,
  metadataEtag,
  yamlResponse,
} from './collection-responses.ts';
import { extrasOf, includedExtras, scopedExtras } from './collection-extras.ts';
import {
  createdCollection,
  document as openApiDocument,
  metadata,
  metadataView,
  openapiSpec,
  updatedCollection,
  updatedCollectionView,
  warningsOf,
  wholeCollection,
} from './collection-views.ts';
import { collectionIdOf, collectionParameter, message } from './wire.ts';

/** Without this, linters assume that a subschema forbids all members that it does not list. */
const partly = { additionalProperties: true };
const ofType = (type: string) => ({ properties: { type: { const: type } }, ...partly });
const authentication = z
  .object({
    type: z.enum(['apiKey', 'bearer', 'basic', 'none']),
    name: optional(line({ max: parameterNameMax })).meta({
      description: 'The name of the header, parameter or cookie; required for `apiKey`, else `Authorization`.',
    }),
    value: optional(line({ max: credentialMax })).meta({
      description: 'The credential, stored encrypted. If absent, the stored one stays.',
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
      { if: ofType('none'), then: { properties: { value: { enum: ['', null] } }, ...partly } },
      {
        if: ofType('apiKey'),
        then: { properties: { name: { type: 'string', minLength: 1 } }, required: ['name'], ...partly },
      },
    ],
  })
  .transform(({ type, name = null, in: place = null, value: inputValue }, context): AuthenticationInput => {
    const value = inputValue ?? undefined;
    if (type === 'bearer' || type === 'basic') return { type, name, value };
    if (type === 'none' && value === undefined) return { type };
    if (type === 'apiKey' && name !== null) return { type, name, in: place, value };
    const [field, error] =
      type === 'none'
        ? ['value', 'must be absent where the type is none']
        : ['name', 'is required where the type is apiKey'];
    context.addIssue({ code: 'custom', path: [field], message: error });
    return z.NEVER;
  });

const name = plainName({ max: collectionNameMax });
const description = text({ max: collectionDescriptionMax });

const discoverable = optional(z.boolean()).meta({
  description:
    'Whether approved clients without a grant see its name and description in the catalog, and may request it.',
});

const newFields = z.object({
  name: name.meta({ examples: ['Weather'] }),
  description: optional(description).meta({ default: '', examples: ['Forecasts and observations.'] }),
  authentication: optional(authentication).meta({
    examples: [{ type: 'apiKey', name: 'X-Api-Key', in: 'header', value: 'the-credential' }],
  }),
  discoverable: discoverable.meta({ default: false }),
});
const newCollection = z.object({ ...newFields.shape, openapi_spec: openapiSpec }).meta({ id: 'NewCollection' });

const changedFields = z.object({
  name: optional(name).meta({ examples: ['Weather'] }),
  description: clearable(description).meta({
    description: 'null or an empty string clears it.',
    examples: ['Forecasts and observations.'],
  }),
  authentication: removable(authentication).meta({ description: 'Only null removes it.' }),
  discoverable,
});
const collectionChange = z
  .object({ ...changedFields.shape, openapi_spec: optional(openapiSpec) })
  .meta({ id: 'CollectionChange' });

const strictness = z.object({
  strict: booleanParameter
    .default(false)
    .meta({ description: 'Whether violations of the official OpenAPI schema are refused with 400.' }),
});

const includes = z.object({ include: includedExtras });

export const collectionRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id',
    operation: 'readCollection',
    summary: 'Read a collection with its OpenAPI document',
    description:
      'The document is exactly the text as sent. With `If-None-Match`, it is sent only if it has changed; with ' +
      '`include` always.',
    params: collectionParameter,
    reads: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    scopedParts: scopedExtras,
    query: includes,
    status: 200,
    conditional: true,
    response: wholeCollection,
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, bodies, caller: { principal }, query, request }) => {
      const collection = readableTarget(principal);
      const { id } = collection;
      const answer = query.include
        ? await collectionWithExtrasResponse(
            request,
            await useCases.readDocument(collection),
            await extrasOf(useCases, principal, query.include, [collection]),
          )
        : await collectionResponse(request, bodies, collection, () => useCases.readDocument(collection));
      useCases.countUse(principal, 'read', id);
      return answer;
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/metadata',
    operation: 'readMetadata',
    summary: "Read how to call a collection's API",
    description:
      'The base address and how to authenticate. `authentication.value` is the stored credential, if there is one; ' +
      'reading it is audited.',
    params: collectionParameter,
    reads: 'whole',
    auth: 'token or key',
    scope: null,
    query: z.object({
      include: wordsParameter(['hints']).optional().meta({
        description: '`hints` adds `deprecated`, and `value_hint`, which describes the credential.',
      }),
    }),
    status: 200,
    conditional: true,
    response: metadata,
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, caller, query, request }) => {
      const read = await useCases.readMetadata(caller.principal);
      const hints = query.include ? await useCases.readMetadataHints(read) : null;
      if (read.authentication.value !== null) return json(metadataView(read, hints));
      const etag = metadataEtag(read.collection, hints !== null);
      const headers = { 'Cache-Control': 'private, no-cache', ETag: etag };
      return ifNoneMatchLists(request.headers['if-none-match'], etag)
        ? notModified(headers)
        : json(metadataView(read, hints), headers);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/openapi.json',
    operation: 'readDocument',
    summary: "Read a collection's OpenAPI document alone",
    description: 'Exactly the text as sent. With `If-None-Match`, it is sent only if it has changed.',
    params: collectionParameter,
    reads: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    status: 200,
    conditional: true,
    response: openApiDocument,
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, caller, request }) => {
      const collection = readableTarget(caller.principal);
      const answer = await documentResponse(request, collection, () => useCases.readDocument(collection));
      useCases.countUse(caller.principal, 'read', collection.id);
      return answer;
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/openapi.yaml',
    operation: 'readDocumentAsYaml',
    summary: "Read a collection's OpenAPI document alone, as YAML",
    description:
      'Keeps the order of members and the numbers. One conversion per caller runs at a time, and two more wait; ' +
      'a further one is a 429.',
    params: collectionParameter,
    reads: 'head',
    auth: 'token or key',
    scope: 'catalog:read',
    status: 200,
    conditional: true,
    media: 'application/yaml',
    response: z.string(),
    errors: ['no_access', 'collection_not_found'],
    handler: async ({ useCases, bodies, caller: { principal }, request }) => {
      const collection = readableTarget(principal);
      const answer = await yamlResponse(request, bodies, collection, () => useCases.readYaml(principal));
      useCases.countUse(principal, 'read', collection.id);
      return answer;
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/collections/',
    operation: 'createCollection',
    summary: 'Create a collection',
    description: 'It is searchable once it is embedded, normally within a second.',
    auth: 'admin',
    scope: 'catalog:write',
    query: strictness,
    bodyKind: 'document',
    body: newFields,
    bodySchema: newCollection,
    status: 201,
    supplies: { collection_id: '$response.body#/id' },
    response: createdCollection,
    handler: async ({ useCases, caller, query, body: { fields, document }, request }) => {
      if (!document) throw new PorticoError('invalid_body', { because: `${documentMember} is required` });
      const collection = await withMemberName(
        useCases.createCollection(caller.authority, caller.principal.profile.id, {
          name: fields.name,
          description: fields.description ?? '',
          authentication: fields.authentication ?? null,
          discoverable: fields.discoverable ?? undefined,
          document,
          strict: query.strict,
        }),
      );
      return createdResponse(request, collection, document.packed, warningsOf(document));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/collections/:collection_id',
    operation: 'updateCollection',
    summary: 'Change a collection',
    description:
      'Absent fields keep their value. If nothing changes, nothing is written, and `updated_at` stays. With `If-Match`, ' +
      'it changes only the state that was read.',
    params: collectionParameter,
    auth: 'admin',
    scope: 'catalog:write',
    query: strictness,
    bodyKind: 'document',
    body: changedFields,
    bodySchema: collectionChange,
    status: 200,
    guarded: true,
    response: updatedCollection,
    errors: ['collection_not_found'],
    handler: async ({ useCases, caller, params, query, body: { fields, document }, request }) => {
      const edit = {
        name: fields.name ?? undefined,
        description: fields.description === null ? '' : fields.description,
        authentication: fields.authentication,
        discoverable: fields.discoverable ?? undefined,
        document: document ?? undefined,
        strict: query.strict,
      };
      const id = collectionIdOf(params.collection_id);
      const { collection } = await withMemberName(
        useCases.updateCollection(caller.authority, id, edit, expectedState(request)),
      );
      return json(updatedCollectionView(collection, document ? warningsOf(document) : null));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/collections/:collection_id',
    operation: 'removeCollection',
    summary: 'Delete a collection',
    description:
      'Irreversible. Also deletes its grants and its embedding. With `If-Match`, only the state that was read is deleted.',
    params: collectionParameter,
    auth: 'admin',
    scope: 'catalog:write',
    status: 200,
    guarded: true,
    response: message,
    errors: ['collection_not_found'],
    handler: async ({ useCases, caller, params, request }) => {
      const id = collectionIdOf(params.collection_id);
      await useCases.removeCollection(caller.authority, id, expectedState(request));
      return json({ message: 'Collection deleted' });
    },
  }),
] as const;

/** Adds the name of the document's member to an error about the document's violations. */
export const withMemberName = <Outcome>(change: Promise<Outcome>): Promise<Outcome> =>
  change.catch((error: unknown) => {
    throw error instanceof SchemaViolationError ? error.withName(documentMember) : error;
  });
