/** A way to authenticate, with its secrets. */
export interface CredentialKind {
  readonly name: string;
  /** The security scheme; of OAuth, by its token URL. */
  readonly scheme: Readonly<Record<string, unknown>> | ((tokenUrl: string) => object);
  readonly input: object;
  /** The texts that no one may read. The API reflects the first one. */
  readonly secrets: readonly string[];
}

/** Has characters that each encoding escapes. */
const secret = `k3y-"&<>+/~?s3cret'`;
export const accessToken = 'acc3ss/t0ken+of~the=API';
const clientSecret = 'cl1ent s3cret & more';
const basicText = Buffer.from('ada:p4ss "&<word').toString('base64');

const apiKey = (location: string): CredentialKind => ({
  name: `a key in a ${location}`,
  scheme: { type: 'apiKey', in: location, name: 'key' },
  input: { value: secret },
  secrets: [secret],
});

export const bearer: CredentialKind = {
  name: 'a bearer token',
  scheme: { type: 'http', scheme: 'bearer' },
  input: { value: accessToken },
  secrets: [accessToken],
};

export const oauth: CredentialKind = {
  name: 'an OAuth client',
  scheme: (tokenUrl: string) => ({ type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } }),
  input: { client_id: 'portico', client_secret: clientSecret },
  secrets: [accessToken, clientSecret],
};

export const keyInQuery = apiKey('query');
export const keyInCookie = apiKey('cookie');

export const credentialKinds: readonly CredentialKind[] = [
  bearer,
  apiKey('header'),
  keyInQuery,
  keyInCookie,
  {
    name: 'basic authentication',
    scheme: { type: 'http', scheme: 'basic' },
    input: { username: 'ada', password: 'p4ss "&<word' },
    secrets: [basicText, 'p4ss "&<word'],
  },
  oauth,
];
