import { hasAtMostCharacters } from '../characters.ts';
import { parameterNameMax } from '../collections/collection-texts.ts';
import type { ApiKeyLocation, AuthenticationScheme } from '../collections/collection.ts';
import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { isPlainLine } from '../line.ts';
import { localPathOf, memberOf, valueAt } from './document-value.ts';
import type { DerivedValue, DocumentPath, FirstMemberName } from './document.ts';

const noAuthentication: AuthenticationScheme = { type: 'none', name: null, in: null };

const bearer: AuthenticationScheme = { type: 'bearer', name: 'Authorization', in: null };

const basic: AuthenticationScheme = { type: 'basic', name: 'Authorization', in: null };

/** References may be circular; no real document needs more than one step. */
const referenceStepsMax = 8;

/**
 * Returns how calls to a document's API authenticate, based on the first requirement in its top-level `security` or, if
 * it has none, on its first security scheme (specification, section 4). Returns `none` for a scheme that cannot be read
 * and, with a warning, for an API key whose name is longer than `parameterNameMax` or not a plain line.
 */
export function authenticationOf(
  document: Json,
  findFirstMemberName: FirstMemberName,
): DerivedValue<AuthenticationScheme> {
  const name = findFirstSchemeName(document, findFirstMemberName);
  const path = name === undefined ? undefined : resolveReferences(document, [...schemesPath, name]);
  return path ? schemeFrom(valueAt(document, path), path) : { value: noAuthentication };
}

const schemesPath: DocumentPath = ['components', 'securitySchemes'];

function findFirstSchemeName(document: Json, findFirstMemberName: FirstMemberName): string | undefined {
  // If `security` is not an array, the first scheme is used.
  const path = isJsonArray(memberOf(document, 'security')) ? ['security', 0] : schemesPath;
  const names = valueAt(document, path);
  const [firstKey] = isJsonObject(names) ? Object.keys(names) : [];
  // Objects list names that look like numbers first, regardless of their position in the text (ECMA-262,
  // OrdinaryOwnPropertyKeys).
  return firstKey !== undefined && /^\d+$/.test(firstKey) ? findFirstMemberName(path) : firstKey;
}

/** Returns the path at which the scheme is defined, after following its references. */
function resolveReferences(document: Json, from: DocumentPath): DocumentPath | undefined {
  let path: DocumentPath | undefined = from;
  for (let step = 0; path && step < referenceStepsMax; step++) {
    const reference = memberOf(valueAt(document, path), '$ref');
    if (typeof reference !== 'string') return path;
    path = localPathOf(reference);
  }
  return undefined;
}

function schemeFrom(scheme: Json | undefined, path: DocumentPath): DerivedValue<AuthenticationScheme> {
  switch (memberOf(scheme, 'type')) {
    case 'apiKey':
      return toApiKeyScheme(memberOf(scheme, 'name'), memberOf(scheme, 'in'), [...path, 'name']);
    case 'http':
      return { value: toHttpScheme(memberOf(scheme, 'scheme')) };
    case 'oauth2':
    case 'openIdConnect':
      return { value: bearer };
    default:
      return { value: noAuthentication };
  }
}

function toApiKeyScheme(
  rawName: Json | undefined,
  location: Json | undefined,
  path: DocumentPath,
): DerivedValue<AuthenticationScheme> {
  const name = typeof rawName === 'string' ? rawName.trim() : '';
  if (name === '' || !isApiKeyLocation(location)) return { value: noAuthentication };
  if (!hasAtMostCharacters(name, parameterNameMax)) {
    return {
      value: noAuthentication,
      violation: { path, message: `must have at most ${parameterNameMax} characters to name an API key` },
    };
  }
  if (!isPlainLine(name)) {
    return {
      value: noAuthentication,
      violation: { path, message: 'must be one line without control characters to name an API key' },
    };
  }
  return { value: { type: 'apiKey', name, in: location } };
}

const isApiKeyLocation = (location: Json | undefined): location is ApiKeyLocation =>
  location === 'header' || location === 'query' || location === 'cookie';

/** Returns the HTTP authentication scheme with this name, which is compared ignoring case (RFC 9110, section 11.1). */
function toHttpScheme(scheme: Json | undefined): AuthenticationScheme {
  const name = typeof scheme === 'string' ? scheme.toLowerCase() : '';
  return name === 'bearer' ? bearer : name === 'basic' ? basic : noAuthentication;
}
