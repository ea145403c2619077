import { hasAtMost } from '../characters.ts';
import { parameterNameMax } from '../collections/collection-texts.ts';
import type { ApiKeyPlace, AuthenticationScheme } from '../collections/collection.ts';
import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { isPlainLine } from '../line.ts';
import { localPath, memberOf, valueAt } from './document-value.ts';
import type { DerivedFact, DocumentPath, FirstName } from './document.ts';

const none: AuthenticationScheme = { type: 'none', name: null, in: null };

const bearer: AuthenticationScheme = { type: 'bearer', name: 'Authorization', in: null };

const basic: AuthenticationScheme = { type: 'basic', name: 'Authorization', in: null };

/** References may form a circle; no real document needs more than one step. */
const referenceStepsMax = 8;

/**
 * Returns how calls to a document's API authenticate, by the first requirement of its top-level `security` or, without
 * one, the first of its security schemes (specification, section 4). Returns `none` for what cannot be read and, with a
 * warning, for an API key whose name is longer than `parameterNameMax` or not a plain line.
 */
export function authenticationOf(document: Json, firstName: FirstName): DerivedFact<AuthenticationScheme> {
  const name = firstSchemeName(document, firstName);
  const path = name === undefined ? undefined : followed(document, [...schemesPath, name]);
  return path ? described(valueAt(document, path), path) : { value: none };
}

const schemesPath: DocumentPath = ['components', 'securitySchemes'];

function firstSchemeName(document: Json, firstName: FirstName): string | undefined {
  // Without a list under `security`, the first scheme counts.
  const path = isJsonArray(memberOf(document, 'security')) ? ['security', 0] : schemesPath;
  const named = valueAt(document, path);
  const [first] = isJsonObject(named) ? Object.keys(named) : [];
  // Objects list names that look like numbers first, wherever they stood in the text (ECMA-262,
  // OrdinaryOwnPropertyKeys).
  return first !== undefined && /^\d+$/.test(first) ? firstName(path) : first;
}

/** Returns where the scheme at that place is defined, after following its references. */
function followed(document: Json, from: DocumentPath): DocumentPath | undefined {
  let path: DocumentPath | undefined = from;
  for (let step = 0; path && step < referenceStepsMax; step++) {
    const reference = memberOf(valueAt(document, path), '$ref');
    if (typeof reference !== 'string') return path;
    path = localPath(reference);
  }
  return undefined;
}

function described(scheme: Json | undefined, path: DocumentPath): DerivedFact<AuthenticationScheme> {
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
  given: Json | undefined,
  place: Json | undefined,
  path: DocumentPath,
): DerivedFact<AuthenticationScheme> {
  const name = typeof given === 'string' ? given.trim() : '';
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

const isPlace = (place: Json | undefined): place is ApiKeyPlace =>
  place === 'header' || place === 'query' || place === 'cookie';

/** Names of HTTP authentication schemes are compared without regard to case (RFC 9110, section 11.1). */
function http(scheme: Json | undefined): AuthenticationScheme {
  const name = typeof scheme === 'string' ? scheme.toLowerCase() : '';
  return name === 'bearer' ? bearer : name === 'basic' ? basic : none;
}
