import type { Route } from '../route.ts';
import type { HttpSettings } from '../settings.ts';

/** Returns the rules that apply to every operation, for readers of the document (specification, section 1). */
export const createIntroduction = ({ bodyLimitBytes, specBodyLimitBytes }: HttpSettings): string => `\
A catalog of API collections: each has a name, a description and an OpenAPI document. Users register, an administrator approves them \
and grants them collections; approved clients read and search their granted collections.

An agent needs four requests and the call itself: it searches for an operation in plain words, reads how to call it, reads the \
API's credential in the metadata, calls the API, and records the call in the audit log. The same is available over the Model Context Protocol at \
\`POST /mcp\`; \`/llms.txt\` is for an agent that knows only this URL.

## Credentials

An **identity token** is an ID token of the identity provider that this service trusts, sent as \`Authorization: Bearer …\`. An OpenID \
provider returns it when the user signs in, as \`id_token\`. If the service is its own provider, for development, a command prints one: \
\`npm run -s token -- --uid alice --email alice@example.com\`, or \`npm run -s token -- --admin\` for the administrator.

An **API key pair** is issued on approval: \`client_id\` and \`client_secret\`, sent as \`X-Client-ID\` and \`X-API-Key\`. A client that \
can set only one header sends them as one string, separated by a dot: \`X-API-Key: <client_id>.<client_secret>\` without \`X-Client-ID\`, or \
\`Authorization: Bearer <client_id>.<client_secret>\`. Not every operation accepts a key pair; the others reject it with 401 \
\`Identity token required\`. Half a pair, and a secret sent as a token, are \`Invalid API credentials\`; a missing \
credential, both forms together, or any other invalid credential is \`Invalid or expired token\`.

A **service account** is a machine's credential: an administrator creates it with scopes, and its token is sent as \`Authorization: Bearer \
portico_sa_…\`. It acts as an administrator where an operation names a scope (\`x-portico-scope\`) that it has; some descriptions \
name another scope for a part of the request. Otherwise it gets 403, \`Scope required\` with the scope, or \`Not available to service accounts\`. It is not rate-limited.

## Input

- Texts are trimmed before they are validated. Lengths are in Unicode code points.
- In an optional field or query parameter, \`null\`, \`""\` and white space count as absent. In a PUT, \`null\` clears a value and \`""\` \
clears a text, if the field says so.
- A body is a JSON object of at most ${bodyLimitBytes} bytes, ${specBodyLimitBytes} with an \`openapi_spec\`, nested at most 100 levels. Its fields \
\`__proto__\` and \`constructor\` are rejected, other unknown ones are ignored. An unexpected body is ignored.
- U+0000 and lone surrogates are rejected anywhere in a body, including names; only an \`openapi_spec\` is returned as it was sent.
- An unknown query parameter is a 400 that names the known ones, if the operation says so (\`x-portico-unknown-parameters\`); else it \
is ignored. A repeated known parameter is a 400. Whole numbers have any number of digits; \`true\` and \
\`false\` may be in any case.
- \`date-time\` and \`date\` are the forms of RFC 3339; a field that accepts other forms of ISO 8601 says so.
- A trailing slash makes no difference. An unknown or malformed identifier in a path is a 404.

## Responses

Every error is a JSON object with a \`detail\`. Clients' requests are counted: \`RateLimit\` and \`RateLimit-Policy\` say how many remain, \
and the \`retry_after\` of a 429 says when to retry. Every response has an \`X-Request-Id\`, which identifies it in the log.`;

export const tags: readonly (readonly [Route['tag'], string])[] = [
  ['Profiles', 'Registration, approval, suspension, roles and API credentials.'],
  [
    'Groups',
    'Profiles that share grants and a tier. Members are added by an administrator or by a claim in their tokens.',
  ],
  ['Service accounts', 'Credentials for machines, with scopes.'],
  ['Collections', 'The catalog.'],
  ['Operations', "The APIs' operations: search, and everything needed to call them."],
  ['Search', 'Search in natural language.'],
  ['Access', 'Grants of collections, their sources and expiry, and requests for access.'],
  ['Rate limits', 'Tiers, and overrides for individual clients.'],
  ['Usage', 'Usage counts.'],
  ['Audit', 'The audit log.'],
  ['Jobs', 'Background jobs: pending jobs and dead letters.'],
  ['Webhooks', 'Events that are sent to other systems, and their deliveries.'],
  ['Service', 'Health and documentation.'],
];

export const securitySchemes = {
  identityToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      "An ID token of the identity provider. For admin-only operations the user's profile must be an admin's. For the local provider, " +
      '`npm run -s token -- --uid alice --email alice@example.com`, or `--admin`, prints one; an OpenID provider returns it when the user signs in, ' +
      'as `id_token`. The interactive documentation forgets it on reload: it stores no credential in the browser.',
  },
  serviceAccount: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a service account, `portico_sa_…`, which must have the scope that the operation names.',
  },
  clientId: { type: 'apiKey', in: 'header', name: 'X-Client-ID', description: 'The `client_id` issued on approval.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The `client_secret` issued on approval.' },
  keyPair: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      '`<client_id>.<client_secret>`: both in one header, without `X-Client-ID`. It may also be sent as a bearer token.',
  },
};
