import { z } from 'zod';
import { createEmptyResponse, toJsonResponse } from '../responses/route-response.ts';
import { defineRoute } from '../route.ts';
import { content, credential, credentialInput, schemeParameter, toCredentialView } from './credential-fields.ts';
import { collectionIdOf, collectionParameter } from './wire.ts';

/** The routes of credentials for everyone, for the security schemes of a collection's document. */
export const collectionCredentialRoutes = [
  defineRoute({
    method: 'GET',
    path: '/api/collections/:collection_id/credentials',
    operation: 'listCredentials',
    summary: "List a collection's credentials",
    description:
      'Without secrets, sorted by scheme: for everyone, for groups, and for profiles. Includes the scheme that the ' +
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
      'For everyone. Replaces an earlier one. It is stored encrypted. Unless the delivery is `call`, clients with access read it by the tool ' +
      "`read_credential` of the MCP server, except `client_secret`. The credential of the scheme that the collection's `authentication` belongs " +
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
    description: 'The one for everyone. Also works if the document no longer has the scheme.',
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
