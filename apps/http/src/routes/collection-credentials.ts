import { credentialMax, type CredentialContent, type ListedCredential } from '@portico/domain';
import { z } from 'zod';
import { createEmptyResponse, toJsonResponse } from '../responses/route-response.ts';
import { controlCharacters, createNonBlankPattern, line, optional } from '../requests/fields.ts';
import { defineRoute } from '../route.ts';
import { collectionIdOf, collectionParameter, timestamp, toIsoOrNull } from './wire.ts';

const schemeParameter = {
  scheme: {
    description: "The percent-encoded name of the security scheme in the collection's document.",
    schema: { type: 'string' },
    example: 'bearerAuth',
  },
} as const;

const secret = line({ max: credentialMax }).meta({ writeOnly: true });
const username = line({ max: credentialMax })
  .refine((name) => !name.includes(':'), { error: 'must not contain a colon' })
  .meta({ pattern: createNonBlankPattern(`${controlCharacters}:`) });

const blank = { enum: ['', null] };
const present = { type: 'string', minLength: 1 };
/** Returns the JSON Schema of a form: these members are present, and the others are absent. */
const createFormSchema = (...names: readonly string[]) => ({
  properties: Object.fromEntries(
    ['value', 'username', 'password', 'client_id', 'client_secret'].map((name) => [
      name,
      names.includes(name) ? present : blank,
    ]),
  ),
  required: names,
  additionalProperties: true,
});

const credentialInput = z
  .object({
    value: optional(secret).meta({
      examples: ['the-credential'],
      description: 'An API key or a token, without the prefix of its scheme.',
    }),
    username: optional(username).meta({ description: 'For basic authentication; without a colon.' }),
    password: optional(secret),
    client_id: optional(line({ max: credentialMax })).meta({
      description: 'For OAuth 2.0 client credentials.',
    }),
    client_secret: optional(secret),
  })
  .meta({
    id: 'CredentialInput',
    description: 'Exactly one form: `value`, `username` and `password`, or `client_id` and `client_secret`.',
    anyOf: [
      createFormSchema('value'),
      createFormSchema('username', 'password'),
      createFormSchema('client_id', 'client_secret'),
    ],
  });

const content = credentialInput.transform(
  ({ value, username: name, password, client_id, client_secret }, context): CredentialContent => {
    const count = [value, name, password, client_id, client_secret].filter((member) => member != null).length;
    if (value != null && count === 1) return { kind: 'value', value };
    if (name != null && password != null && count === 2) return { kind: 'basic', username: name, password };
    if (client_id != null && client_secret != null && count === 2)
      return { kind: 'client', clientId: client_id, clientSecret: client_secret };
    const message = 'must have either value, or username and password, or client_id and client_secret';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  },
);

const credential = z
  .object({
    scheme: z.string(),
    kind: z.enum(['value', 'basic', 'client']),
    created_at: timestamp.nullable(),
    updated_at: timestamp.nullable(),
  })
  .meta({
    id: 'Credential',
    description:
      "Never contains a secret. The dates are null for the collection's `authentication`, whose dates are not recorded.",
  });

/** The routes of credentials for the security schemes of a collection's document. */
export const collectionCredentialRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/credentials',
    operation: 'listCredentials',
    summary: "List a collection's credentials",
    description:
      'Lists the security schemes that have a credential, without secrets, sorted by name. Includes the scheme that the ' +
      '`authentication` of the collection belongs to, if a credential is stored there.',
    params: collectionParameter,
    auth: 'admin',
    scope: null,
    status: 200,
    linkParameters: { scheme: '$response.body#/0/scheme' },
    response: z.array(credential),
    errors: ['collection_not_found'],
    handler: async ({ useCases, caller, params }) => {
      const id = collectionIdOf(params.collection_id);
      return toJsonResponse((await useCases.listCredentials(caller.authority, id)).map(toCredentialView));
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/collections/:collection_id/credentials/:scheme',
    operation: 'setCredential',
    summary: 'Store the credential for a security scheme',
    description:
      'Replaces an earlier one. It is stored encrypted. Clients with access read it by the tool `read_credential` of the ' +
      "MCP server, except `client_secret`. The credential of the scheme that the collection's `authentication` belongs " +
      "to (by default the document's first scheme) is stored there if it is sent as one value, and its metadata returns it.",
    params: { ...collectionParameter, ...schemeParameter },
    auth: 'admin',
    scope: null,
    bodyKind: 'json',
    body: content,
    bodySchema: credentialInput,
    status: 200,
    response: credential,
    errors: ['collection_not_found', 'scheme_not_found', 'too_many_credentials'],
    handler: async ({ useCases, caller, params, body: { fields } }) => {
      const id = collectionIdOf(params.collection_id);
      return toJsonResponse(
        toCredentialView(await useCases.setCredential(caller.authority, id, params.scheme ?? '', fields)),
      );
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/collections/:collection_id/credentials/:scheme',
    operation: 'removeCredential',
    summary: 'Remove the credential for a security scheme',
    description: 'Also works if the document no longer has the scheme.',
    params: { ...collectionParameter, ...schemeParameter },
    auth: 'admin',
    scope: null,
    status: 204,
    response: null,
    errors: ['collection_not_found', 'credential_not_found'],
    handler: async ({ useCases, caller, params }) => {
      await useCases.removeCredential(caller.authority, collectionIdOf(params.collection_id), params.scheme ?? '');
      return createEmptyResponse();
    },
  }),
] as const;

const toCredentialView = ({ scheme, kind, createdAt, updatedAt }: ListedCredential): z.input<typeof credential> => ({
  scheme,
  kind,
  created_at: toIsoOrNull(createdAt),
  updated_at: toIsoOrNull(updatedAt),
});
