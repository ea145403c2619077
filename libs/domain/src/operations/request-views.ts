import type { Json } from '../json.ts';
import type { Alternatives, ApiCredential } from './credentials.ts';
import type { PreparedRequest } from './prepare-request.ts';
import type { Server } from './servers.ts';

/** Returns the alternatives in the form of the API (extensions, section 1), without any secret. */
export const toAuthenticationView = (alternatives: Alternatives): Json =>
  alternatives.map((credentials) => credentials.map(toCredentialView));

/** Returns a credential in the form of the API, without its value. */
export const toCredentialView = (credential: ApiCredential) => ({
  scheme: credential.scheme,
  type: credential.type,
  in: credential.in,
  name: credential.name,
  prefix: credential.prefix,
  scopes: [...credential.scopes],
  token_url: credential.tokenUrl,
  hint: credential.hint,
  stored: credential.isStored,
});

export const toServersView = (servers: readonly Server[]): Json =>
  servers.map(({ url, description, variables }) => ({
    url: url.toWellFormed(),
    description,
    ...(variables.length === 0
      ? {}
      : {
          variables: variables.map((variable) => ({
            name: variable.name.toWellFormed(),
            value: variable.value,
            default: variable.default,
            enum: variable.enum,
            description: variable.description,
          })),
        }),
  }));

/** Returns a prepared request in the form of the API (extensions, section 1). */
export const toPreparedRequestView = (request: PreparedRequest) => ({
  method: request.method,
  url: request.url.toWellFormed(),
  headers: request.headers.map(([name, value]): [string, string] => [name, value]),
  body: request.body,
  credentials: request.credentials.map(({ scheme, in: location, name, prefix, isStored }) => ({
    scheme,
    in: location,
    name,
    prefix,
    stored: isStored,
  })),
  curl: request.curl,
  warnings: [...request.warnings],
});
