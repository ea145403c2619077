import type { Route } from '../route.ts';
import type { HttpSettings } from '../settings.ts';

/** What applies to every operation, for readers of the document (specification, section 1). */
export const introduction = ({ bodyLimitBytes, specBodyLimitBytes }: HttpSettings): string => `\
A catalog of API collections: each has a name, a description and an OpenAPI document. Users register, an administrator approves them \
and grants them collections; approved clients read and search what they were granted.

An agent needs four requests and the call itself: it searches for an operation in plain words, reads how to call that one, reads the \
API's credential in the metadata, calls the API, and records the call in the audit log. The same over the Model Context Protocol is at \
\`POST /mcp\`; \`/llms.txt\` tells an agent that knows only this address.

## Credentials

An **identity token** is an ID token of the identity provider that this service trusts, sent as \`Authorization: Bearer …\`. An OpenID \
provider returns it at sign-in, as \`id_token\`. If the service is its own provider, for development, a command prints one: \
\`npm run -s token -- --uid alice --email alice@example.com\`, or \`npm run -s token -- --admin\` for the administrator.

An **API key pair** is issued on approval: \`client_id\` and \`client_secret\`, sent as \`X-Client-ID\` and \`X-API-Key\`. A client that \
can set one header only sends them as one string with a dot between: \`X-API-Key: <client_id>.<client_secret>\` without \`X-Client-ID\`, or \
\`Authorization: Bearer <client_id>.<client_secret>\`. Not every operation accepts a key pair; the others refuse it with 401 \
\`Identity token required\`. Half a pair, and a secret sent as a token, are \`Invalid API credentials\`; a missing \
credential, both forms at once or any other fault is \`Invalid or expired token\`.

A **service account** is a machine's credential: an administrator creates it with scopes, and its token is sent as \`Authorization: Bearer \
portico_sa_…\`. It acts as an administrator where an operation names a scope (\`x-portico-scope\`) that it holds, and another where its description \
says so of a part of the request; elsewhere it gets 403, \`Scope required\` with the scope, or \`Not available to service accounts\`. It is not counted.

## Input

- Texts are trimmed before they are validated. Lengths are in Unicode code points.
- In an optional field or query parameter, \`null\`, \`""\` and white space count as absent. In a PUT, \`null\` clears a value and \`""\` \
clears a text, if the field says so.
- A body is a JSON object of at most ${bodyLimitBytes} bytes, ${specBodyLimitBytes} with an \`openapi_spec\`, nested at most 100 levels. Its fields \
\`__proto__\` and \`constructor\` are refused, other unknown ones are ignored. A body that an operation does not take is ignored.
- U+0000 and lone surrogates are refused anywhere in a body, names included; only an \`openapi_spec\` is returned as it was sent.
- An unknown query parameter is a 400 that names the known ones, if the operation says so (\`x-portico-unknown-parameters\`); else it \
is ignored. A known one given twice is a 400. Whole numbers have any number of digits; \`true\` and \
\`false\` may be in any case.
- \`date-time\` and \`date\` are the forms of RFC 3339; a field that accepts other forms of ISO 8601 says so.
- A trailing slash makes no difference. An unknown or malformed identifier in a path is a 404.

## Answers

Every error is a JSON object with a \`detail\`. Clients' requests are counted: \`RateLimit\` and \`RateLimit-Policy\` say how many are left, \
and a 429 says in \`retry_after\` when to come back. Every answer has an \`X-Request-Id\`, which identifies it in the log.`;

export const tags: readonly (readonly [Route['tag'], string])[] = [
  ['Profiles', 'Registration, approval, suspension, roles and API credentials.'],
  ['Groups', 'Profiles that share grants and a tier, by hand or by the claim of their tokens.'],
  ['Service accounts', 'Credentials for machines, with scopes.'],
  ['Collections', 'The catalog.'],
  ['Operations', 'What the APIs can do: search, and all that is needed for a call.'],
  ['Search', 'Search in natural language.'],
  ['Access', 'Who may use which collection, how and until when, and requests for more.'],
  ['Rate limits', 'Tiers, and overrides for single clients.'],
  ['Usage', 'Who used what, and how often.'],
  ['Audit', 'The audit log.'],
  ['Jobs', 'Background work: what waits, and what was given up.'],
  ['Service', 'Health and documentation.'],
];

export const securitySchemes = {
  identityToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      "An ID token of the identity provider. For admin-only operations the user's profile must be an admin's. For the local provider, " +
      '`npm run -s token -- --uid alice --email alice@example.com`, or `--admin`, prints one; an OpenID provider returns it at sign-in, ' +
      'as `id_token`. The interactive documentation forgets it on reload: it stores no credential in the browser.',
  },
  serviceAccount: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a service account, `portico_sa_…`, which must hold the scope that the operation names.',
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
