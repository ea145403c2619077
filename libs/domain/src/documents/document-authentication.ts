import { hasAtMostCharacters } from '../characters.ts';
import { parameterNameMax, schemeNameMax, schemesMax } from '../collections/collection-texts.ts';
import type { ApiKeyLocation, AuthenticationScheme } from '../collections/collection.ts';
import { isJsonArray, isJsonObject, type Json } from '../json.ts';
import { isPlainLine } from '../line.ts';
import type { SecurityScheme, SecuritySchemeType } from './security-scheme.ts';
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

/**
 * Returns the security schemes of a document, first the one that `authenticationOf` is based on, then the others in the
 * document's order. Omits schemes beyond the first `schemesMax`, and those whose names are not plain lines of 1 to
 * `schemeNameMax` characters.
 */
export function readSecuritySchemes(document: Json, findFirstMemberName: FirstMemberName): readonly SecurityScheme[] {
  const schemes = valueAt(document, schemesPath);
  if (!isJsonObject(schemes)) return [];
  const firstName = findFirstSchemeName(document, findFirstMemberName);
  const names = Object.keys(schemes).filter((name) => name !== firstName);
  if (firstName !== undefined && Object.hasOwn(schemes, firstName)) names.unshift(firstName);
  return names
    .filter(isSchemeName)
    .slice(0, schemesMax)
    .map((name) => readScheme(document, name));
}

const isSchemeName = (name: string): boolean =>
  name.trim() !== '' && hasAtMostCharacters(name, schemeNameMax) && isPlainLine(name);

function readScheme(document: Json, name: string): SecurityScheme {
  const path = resolveReferences(document, [...schemesPath, name]);
  const scheme = path && valueAt(document, path);
  const authentication = path ? schemeFrom(scheme, path).value : noAuthentication;
  return { name, type: typeOf(scheme, authentication), authentication };
}

function typeOf(scheme: Json | undefined, { type: derivedType }: AuthenticationScheme): SecuritySchemeType {
  const type = memberOf(scheme, 'type');
  switch (type) {
    case 'oauth2':
    case 'openIdConnect':
    case 'mutualTLS':
      return type;
    case 'http':
      return derivedType === 'bearer' || derivedType === 'basic' ? derivedType : 'http';
    default:
      return derivedType === 'apiKey' ? 'apiKey' : 'unknown';
  }
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
