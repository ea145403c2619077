import type { Route } from '../route.ts';
import type { HttpSettings } from '../settings.ts';

/** What holds for every operation alike, for a reader of the document (specification, section 1). */
export const introduction = ({ bodyLimitBytes, specBodyLimitBytes }: HttpSettings): string => `\
A catalog of API collections: each holds a name, a description and an OpenAPI document. Users register, an administrator approves them \
and grants them collections; approved clients read and search what was granted to them.

## Credentials

An **identity token** is an ID token of the identity provider that this service trusts, sent as \`Authorization: Bearer …\`. An OpenID \
provider answers it to a sign-in, as \`id_token\`. Where the service is its own provider, for development, its command prints one: \
\`npm run -s token -- --uid alice --email alice@example.com\`, or \`npm run -s token -- --admin\` for the administrator.

An **API key pair** is what approval issues: \`client_id\` and \`client_secret\`, sent as \`X-Client-ID\` and \`X-API-Key\`. Not every \
operation takes one; the others answer a key by 401 \`Identity token required\`. Half a pair, and a secret that is sent as a token, are \
\`Invalid API credentials\`; no credential, both forms at once and any other fault are \`Invalid or expired token\`.

## Input

- A text is trimmed before it is judged. Lengths are in Unicode code points.
- \`null\`, \`""\` and white space alone, for an optional field or query parameter, are as if it were absent. In a PUT \`null\` clears what can \
be absent and \`""\` clears a text, where the field says so.
- A body is a JSON object of at most ${bodyLimitBytes} bytes, ${specBodyLimitBytes} where an \`openapi_spec\` travels, nested at most 100 levels. Its fields \
\`__proto__\` and \`constructor\` are refused, other unknown ones are ignored. A body where none is taken is ignored.
- U+0000 and lone surrogates are refused wherever they stand in a body, names included; an \`openapi_spec\` alone comes back as it was sent.
- Unknown query parameters are ignored; a known one that is given twice is a 400. Whole numbers are written in digits, however many; \
\`true\` and \`false\` in any case.
- \`date-time\` and \`date\` name the forms that are taken for sure, those of RFC 3339; where other forms of ISO 8601 are taken too, the field says so.
- A path is the same with and without a slash at its end. An identifier in a path that is none, malformed or not, is a 404.

## Answers

Every error is a JSON object with a \`detail\`. Requests of clients are counted: \`RateLimit\` and \`RateLimit-Policy\` say how many are left, \
and a 429 says in \`retry_after\` when to come back. Every answer carries an \`X-Request-Id\`, which names it in the log.`;

export const tags: readonly (readonly [Route['tag'], string])[] = [
  ['Profiles', 'Registration, approval, roles and API credentials.'],
  ['Collections', 'The catalog.'],
  ['Access', 'Which client may use which collection.'],
  ['Audit', 'The audit log.'],
  ['Rate limits', 'Tiers and overrides for single clients.'],
  ['Search', 'Search in natural language.'],
  ['Service', 'Health and documentation.'],
];

export const securitySchemes = {
  identityToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      "An ID token of the identity provider. For admin-only operations the user's profile must be an admin's. The local provider's is " +
      'printed by `npm run -s token -- --uid alice --email alice@example.com`, or `--admin`; an OpenID provider answers it to a sign-in, as ' +
      '`id_token`. The interactive documentation forgets it when the page is loaded anew: it keeps no credential in the browser.',
  },
  clientId: { type: 'apiKey', in: 'header', name: 'X-Client-ID', description: 'The `client_id` issued on approval.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The `client_secret` issued on approval.' },
};
