import type { Json } from '../json.ts';
import type { ApiKeyPlace, AuthenticationScheme } from '../ports/collection-store.ts';
import { isJsonArray, isJsonObject, isStorable, localTarget, memberOf } from './document-value.ts';

const none: AuthenticationScheme = { type: 'none', name: null, in: null };
const bearer: AuthenticationScheme = { type: 'bearer', name: 'Authorization', in: null };
const basic: AuthenticationScheme = { type: 'basic', name: 'Authorization', in: null };

/** References may form a circle; no real document needs more than one step. */
const referenceStepsMax = 8;

/**
 * How calls to a document's API authenticate, by the first requirement of its top-level `security`, or else by the
 * first of its security schemes (specification, section 4). What cannot be read is `none`.
 */
export function authenticationOf(document: Json): AuthenticationScheme {
  const schemes = memberOf(memberOf(document, 'components'), 'securitySchemes');
  const name = firstSchemeName(memberOf(document, 'security'), schemes);
  return name === undefined ? none : described(followed(document, memberOf(schemes, name)));
}

function firstSchemeName(security: Json | undefined, schemes: Json | undefined): string | undefined {
  // Without `security`, or with one that is no list, the schemes alone speak.
  const named = isJsonArray(security) ? security[0] : schemes;
  return isJsonObject(named) ? Object.keys(named)[0] : undefined;
}

function followed(document: Json, scheme: Json | undefined): Json | undefined {
  let target = scheme;
  for (let step = 0; step < referenceStepsMax; step++) {
    const reference = memberOf(target, '$ref');
    if (typeof reference !== 'string') return target;
    target = localTarget(document, reference);
  }
  return undefined;
}

function described(scheme: Json | undefined): AuthenticationScheme {
  switch (memberOf(scheme, 'type')) {
    case 'apiKey':
      return apiKey(memberOf(scheme, 'name'), memberOf(scheme, 'in'));
    case 'http':
      return http(memberOf(scheme, 'scheme'));
    case 'oauth2':
    case 'openIdConnect':
      return bearer;
    default:
      return none;
  }
}

const apiKey = (name: Json | undefined, place: Json | undefined): AuthenticationScheme =>
  typeof name === 'string' && name !== '' && isStorable(name) && isPlace(place)
    ? { type: 'apiKey', name, in: place }
    : none;

const isPlace = (place: Json | undefined): place is ApiKeyPlace =>
  place === 'header' || place === 'query' || place === 'cookie';

/** Names of HTTP authentication schemes are compared without regard to case (RFC 9110, section 11.1). */
function http(scheme: Json | undefined): AuthenticationScheme {
  const name = typeof scheme === 'string' ? scheme.toLowerCase() : '';
  return name === 'bearer' ? bearer : name === 'basic' ? basic : none;
}
