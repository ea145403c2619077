import { hasAtMost } from '../characters.ts';
import { parameterNameMax } from '../collections/collection-texts.ts';
import type { ApiKeyLocation, AuthenticationScheme } from '../collections/collection.ts';
import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { isPlainLine } from '../line.ts';
import { localPath, memberOf, valueAt } from './document-value.ts';
import type { DerivedFact, DocumentPath, FirstMemberName } from './document.ts';

const none: AuthenticationScheme = { type: 'none', name: null, in: null };

const bearer: AuthenticationScheme = { type: 'bearer', name: 'Authorization', in: null };

const basic: AuthenticationScheme = { type: 'basic', name: 'Authorization', in: null };

/** References may be circular; no real document needs more than one step. */
const referenceStepsMax = 8;

/**
 * Returns how calls to a document's API authenticate, based on the first requirement in its top-level `security` or, if
 * it has none, on its first security scheme (specification, section 4). Returns `none` for a scheme that cannot be read
 * and, with a warning, for an API key whose name is longer than `parameterNameMax` or not a plain line.
 */
export function authenticationOf(document: Json, firstName: FirstMemberName): DerivedFact<AuthenticationScheme> {
  const name = firstSchemeName(document, firstName);
  const path = name === undefined ? undefined : resolveReferences(document, [...schemesPath, name]);
  return path ? schemeFrom(valueAt(document, path), path) : { value: none };
}

const schemesPath: DocumentPath = ['components', 'securitySchemes'];

function firstSchemeName(document: Json, firstName: FirstMemberName): string | undefined {
  // If `security` is not an array, the first scheme is used.
  const path = isJsonArray(memberOf(document, 'security')) ? ['security', 0] : schemesPath;
  const names = valueAt(document, path);
  const [first] = isJsonObject(names) ? Object.keys(names) : [];
  // Objects list names that look like numbers first, regardless of their position in the text (ECMA-262,
  // OrdinaryOwnPropertyKeys).
  return first !== undefined && /^\d+$/.test(first) ? firstName(path) : first;
}

/** Returns the path at which the scheme is defined, after following its references. */
function resolveReferences(document: Json, from: DocumentPath): DocumentPath | undefined {
  let path: DocumentPath | undefined = from;
  for (let step = 0; path && step < referenceStepsMax; step++) {
    const reference = memberOf(valueAt(document, path), '$ref');
    if (typeof reference !== 'string') return path;
    path = localPath(reference);
  }
  return undefined;
}

function schemeFrom(scheme: Json | undefined, path: DocumentPath): DerivedFact<AuthenticationScheme> {
  switch (memberOf(scheme, 'type')) {
    case 'apiKey':
      return apiKey(memberOf(scheme, 'name'), memberOf(scheme, 'in'), [...path, 'name']);
    case 'http':
      return { value: http(memberOf(scheme, 'scheme')) };
    case 'oauth2':
    case 'openIdConnect':
      return { value: bearer };
    default:
      return { value: none };
  }
}

function apiKey(
  rawName: Json | undefined,
  place: Json | undefined,
  path: DocumentPath,
): DerivedFact<AuthenticationScheme> {
  const name = typeof rawName === 'string' ? rawName.trim() : '';
  if (name === '' || !isPlace(place)) return { value: none };
  if (!hasAtMost(name, parameterNameMax)) {
    return {
      value: none,
      violation: { path, message: `must have at most ${parameterNameMax} characters to name an API key` },
    };
  }
  if (!isPlainLine(name)) {
    return {
      value: none,
      violation: { path, message: 'must be one line without control characters to name an API key' },
    };
  }
  return { value: { type: 'apiKey', name, in: place } };
}

const isPlace = (place: Json | undefined): place is ApiKeyLocation =>
  place === 'header' || place === 'query' || place === 'cookie';

/** Returns the HTTP authentication scheme with this name, which is compared ignoring case (RFC 9110, section 11.1). */
function http(scheme: Json | undefined): AuthenticationScheme {
  const name = typeof scheme === 'string' ? scheme.toLowerCase() : '';
  return name === 'bearer' ? bearer : name === 'basic' ? basic : none;
}
