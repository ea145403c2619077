import type { Credential, OperationFacts } from './document-facts.ts';
import { listAt, memberAt, stringAt, textsAt, type Value } from './json-text.ts';
import { headersIn, requestsOf, slicesOf, type Check, type Difference, type ViewedRequest } from './views.ts';
import { Cuts } from './view-schemas.ts';

/** Returns the alternatives in a comparable form; their order does not matter, nor that of the credentials. */
const formatAlternatives = (alternatives: readonly (readonly string[])[] | null): string => {
  if (alternatives === null) return 'not mentioned';
  if (alternatives.every((credentials) => credentials.length === 0)) return 'none needed';
  const texts = alternatives.map((credentials) => [...new Set(credentials)].sort().join(' + ') || 'nothing');
  return [...new Set(texts)].sort().join(' or ');
};

const readAlternatives = (slice: Value): readonly (readonly Value[])[] | null => {
  const authentication = memberAt(slice, 'authentication');
  if (authentication === null) return null;
  return listAt(slice, 'authentication').map((alternative) =>
    Array.isArray(alternative) ? (alternative as Value[]) : [],
  );
};

/** Creates a check that compares a text of each credential. */
const compareCredentials =
  (
    textOf: (credential: Credential) => string,
    textIn: (credential: Value, declared: Credential | undefined) => string,
  ): Check =>
  ({ facts }, views) =>
    slicesOf(views).flatMap(([view, slice]) => {
      if (new Cuts(slice).covers('/authentication')) return [];
      const declarations = facts.security?.flat() ?? [];
      const declarationOf = (credential: Value): Credential | undefined =>
        declarations.find(({ scheme }) => scheme === stringAt(credential, 'scheme'));
      const expected = formatAlternatives(facts.security?.map((alternative) => alternative.map(textOf)) ?? null);
      const actual = formatAlternatives(
        readAlternatives(slice)?.map((alternative) =>
          alternative.map((credential) => textIn(credential, declarationOf(credential))),
        ) ?? null,
      );
      return actual === expected ? [] : [{ view, expected, actual }];
    });

/** Compares which schemes go together. */
export const checkSecurity: Check = compareCredentials(
  ({ scheme }) => scheme,
  (credential) => stringAt(credential, 'scheme') ?? '(no scheme)',
);

const comparePlaces = compareCredentials(
  ({ scheme, type, in: location, name }) =>
    location === null ? `${scheme}: ${type ?? 'unknown'}` : `${type} in ${location} "${name}"`,
  (credential, declared) => {
    const type = stringAt(credential, 'type');
    const isKnownType = type !== null && type !== 'none';
    // A credential that the document does not place may have any words, as long as it is not said to be none.
    if (declared && declared.in === null && isKnownType) return `${declared.scheme}: ${declared.type ?? 'unknown'}`;
    return `${type} in ${stringAt(credential, 'in')} "${stringAt(credential, 'name')}"`;
  },
);

/** Compares the type and the place of each credential, also with the requests. */
export const checkCredentialPlaces: Check = (subject, views) => [
  ...comparePlaces(subject, views),
  ...requestsOf(views).flatMap((request) => checkRequest(subject.facts, request)),
];

function checkRequest(facts: OperationFacts, request: ViewedRequest): readonly Difference[] {
  const alternatives = facts.security ?? [];
  const difference = (expected: string, actual: string): Difference => ({ view: request.view, expected, actual });
  // A prepared request has no secrets; its credentials are placed later.
  if (request.view === 'sample') return [];
  if (alternatives.every((alternative) => alternative.length === 0)) {
    const isDeclared = facts.parameters.some(({ name }) => name.toLowerCase() === 'authorization');
    const values = headersIn(request.headers, 'authorization');
    return values.length > 0 && !isDeclared ? [difference('no credential', values.join())] : [];
  }
  const isSent = (credential: Credential): boolean => credential.in === null || hasCredential(request, credential);
  if (alternatives.some((alternative) => alternative.every(isSent))) return [];
  const expected = alternatives.map((alternative) =>
    alternative.map(({ name, in: place }) => `${place} ${name}`).join(' + '),
  );
  return [difference(expected.join(' or '), request.headers.map(([name]) => name).join() || 'no headers')];
}

function hasCredential({ url, headers }: ViewedRequest, { in: location, name }: Credential): boolean {
  if (name === null) return true;
  if (location === 'query') return new URLSearchParams(url.split(/\?(.*)/s)[1] ?? '').has(name);
  if (location === 'cookie')
    return headersIn(headers, 'cookie').some((value) => value.split(/; */).some((part) => part.startsWith(`${name}=`)));
  return headersIn(headers, name.toLowerCase()).length > 0;
}

/** Compares the scopes and the token URL of OAuth 2.0; any token URL of the scheme's flows is right. */
export const checkScopes: Check = compareCredentials(
  ({ scheme, type, scopes, tokenUrls }) =>
    isOAuth(type) ? `${scheme}: ${[...scopes].sort().join(' ')} ${type === 'oauth2' ? tokenUrls.join() : ''}` : scheme,
  (credential, declared) => {
    const scheme = stringAt(credential, 'scheme') ?? '(no scheme)';
    if (!declared || !isOAuth(declared.type)) return scheme;
    const url = stringAt(credential, 'token_url');
    const isRightUrl = declared.tokenUrls.length === 0 ? url === null : declared.tokenUrls.includes(url ?? '');
    const scopes = [...textsAt(credential, 'scopes')].sort().join(' ');
    return `${scheme}: ${scopes} ${declared.type !== 'oauth2' ? '' : isRightUrl ? declared.tokenUrls.join() : url}`;
  },
);

const isOAuth = (type: string | null): boolean => type === 'oauth2' || type === 'openIdConnect';
