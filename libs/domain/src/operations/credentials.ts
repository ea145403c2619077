import type { AuthenticationScheme } from '../collections/collection.ts';
import type { DocumentOperation } from '../documents/document-operations.ts';
import { memberOf } from '../documents/document-value.ts';
import { takeFirstCharacters } from '../characters.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isPlainLine, toPlainLine, toShortLine } from '../line.ts';
import type { CallSettings } from './call-settings.ts';
import { textAt } from './operation-parts.ts';
import { resolveObject } from './references.ts';

/** `other`: a kind that the document does not describe, or that OpenAPI does not know. */
export type CredentialType =
  'apiKey' | 'bearer' | 'basic' | 'oauth2' | 'openIdConnect' | 'mutualTLS' | 'http' | 'other';

/** A credential that a request needs. */
export interface ApiCredential {
  /** The name of the security scheme in the document; null for one that an admin set instead. */
  readonly scheme: string | null;
  readonly type: CredentialType;
  /** Where the credential is sent; null if it is not a part of the request, or a computed one. */
  readonly in: 'header' | 'query' | 'cookie' | null;
  readonly name: string | null;
  /** The text before the credential's value, such as `Bearer `. */
  readonly prefix: string | null;
  readonly scopes: readonly string[];
  readonly tokenUrl: string | null;
  /** Describes the credential to a person or a model. */
  readonly hint: string | null;
  readonly isStored: boolean;
}

/** The credentials that are sent together; any one of the alternatives is enough. */
export type Alternatives = readonly (readonly ApiCredential[])[];

const hintMax = 200;

/**
 * Returns the alternatives of an operation's effective security requirement (OpenAPI 3.1, section 4.8.10.1), those whose
 * credentials are stored first. An empty list means that no credential is needed; null, that the document does not say
 * whether one is.
 */
export function effectiveAuthenticationOf(
  document: Json,
  { operation }: DocumentOperation,
  settings: CallSettings,
  collectionName: string,
): Alternatives | null {
  const declarations = memberOf(memberOf(document, 'components'), 'securitySchemes');
  const schemes = new Map<string, JsonObject>();
  const schemeNames = isJsonObject(declarations) ? Object.keys(declarations) : [];
  // The setting belongs to the scheme that calls use by default, if that is sent alike (`readSecuritySchemes`).
  const defaultName = schemeNames.find((name) => name === findDefaultName(document));
  for (const name of defaultName === undefined ? schemeNames : new Set([defaultName, ...schemeNames])) {
    const scheme = resolveObject(document, declarations && memberOf(declarations, name));
    if (scheme) schemes.set(name, scheme);
  }
  const setScheme = settings.authentication && findScheme(schemes, settings.authentication, collectionName);
  if (settings.authentication && setScheme === null)
    return settings.authentication.type === 'none' ? [] : [[toSetCredential(settings.authentication, collectionName)]];
  const storedSchemes = new Set(settings.storedSchemes);
  if (settings.authentication?.isStored && setScheme) storedSchemes.add(setScheme);
  const createCredential = (name: string, scopes: readonly string[]): ApiCredential => ({
    ...credentialOf(name, schemes.get(name), scopes, collectionName),
    isStored: storedSchemes.has(name),
  });
  const security = memberOf(operation, 'security') ?? memberOf(document, 'security');
  if (!isJsonArray(security)) {
    const [stored] = storedSchemes;
    return stored === undefined ? null : [[createCredential(stored, [])]];
  }
  const alternatives = security.flatMap((requirement) =>
    isJsonObject(requirement)
      ? [
          Object.keys(requirement).map((name) => {
            const scopes = memberOf(requirement, name);
            return createCredential(
              name,
              isJsonArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
            );
          }),
        ]
      : [],
  );
  const isStored = (alternative: readonly ApiCredential[]): boolean =>
    alternative.length > 0 && alternative.every((credential) => credential.isStored);
  return [...alternatives.filter(isStored), ...alternatives.filter((alternative) => !isStored(alternative))];
}

/** Returns the first name in the document's first security requirement. */
const findDefaultName = (document: Json): string | undefined => {
  const security = memberOf(document, 'security');
  const requirement = isJsonArray(security) ? security[0] : undefined;
  return isJsonObject(requirement) ? Object.keys(requirement)[0] : undefined;
};

/** Returns the name of the first scheme that an admin's setting matches; null if there is none. */
const findScheme = (
  schemes: ReadonlyMap<string, JsonObject>,
  { type, name, in: location }: AuthenticationScheme,
  collectionName: string,
): string | null => {
  for (const [scheme, object] of schemes) {
    const credential = credentialOf(scheme, object, [], collectionName);
    const isBearer = type === 'bearer' && ['oauth2', 'openIdConnect'].includes(credential.type);
    if (credential.type !== type && !isBearer) continue;
    const isSameParameter = credential.name === name && credential.in === location;
    if (type === 'apiKey' ? isSameParameter : name === null || /^authorization$/i.test(name)) return scheme;
  }
  return null;
};

/** Returns the credential of an admin's setting that matches no scheme of the document. */
const toSetCredential = (
  { type, name, in: location, isStored }: AuthenticationScheme & { readonly isStored: boolean },
  collectionName: string,
): ApiCredential => ({
  ...noCredential,
  type: type === 'none' ? 'other' : type,
  in: type === 'apiKey' ? location : 'header',
  name,
  prefix: type === 'bearer' ? 'Bearer ' : type === 'basic' ? 'Basic ' : null,
  hint: hintOf(type, collectionName),
  isStored,
});

const noCredential: ApiCredential = {
  scheme: null,
  type: 'other',
  in: null,
  name: null,
  prefix: null,
  scopes: [],
  tokenUrl: null,
  hint: null,
  isStored: false,
};

function credentialOf(
  scheme: string,
  object: JsonObject | undefined,
  scopes: readonly string[],
  collectionName: string,
): ApiCredential {
  const words = object ? textAt(object, 'description') : null;
  const describe = (hint: string): string =>
    takeFirstCharacters(toPlainLine(words ? `${hint}: ${words}` : hint), hintMax);
  const credential: ApiCredential = { ...noCredential, scheme: scheme.toWellFormed(), scopes };
  const authorization = { in: 'header', name: 'Authorization' } as const;
  const type = object ? memberOf(object, 'type') : undefined;
  switch (type) {
    case 'apiKey': {
      const [name, location] = [object && textAt(object, 'name')?.trim(), object && memberOf(object, 'in')];
      if (!name || !isPlainLine(name) || !isLocation(location)) break;
      return { ...credential, type, in: location, name, hint: describe(hintOf(type, collectionName)) };
    }
    case 'http': {
      const name = (object && textAt(object, 'scheme')) ?? '';
      const kind = name.toLowerCase();
      if (kind === 'bearer')
        return {
          ...credential,
          type: kind,
          ...authorization,
          prefix: 'Bearer ',
          hint: describe(hintOf(kind, collectionName)),
        };
      if (kind === 'basic')
        return {
          ...credential,
          type: kind,
          ...authorization,
          prefix: 'Basic ',
          hint: describe(hintOf(kind, collectionName)),
        };
      return {
        ...credential,
        type,
        hint: describe(`HTTP authentication with the scheme ${name || 'that is not named'}`),
      };
    }
    case 'oauth2':
    case 'openIdConnect': {
      const source = type === 'oauth2' ? describeFlow(object) : describeDiscovery(object);
      const hint = describe(`${hintOf('bearer', collectionName)}${source.words}`);
      return { ...credential, type, ...authorization, prefix: 'Bearer ', tokenUrl: source.tokenUrl, hint };
    }
    case 'mutualTLS':
      return { ...credential, type, hint: describe('a client certificate') };
  }
  return { ...credential, hint: describe(`the security scheme ${scheme}, whose kind the document does not say`) };
}

const isLocation = (value: Json | undefined): value is 'header' | 'query' | 'cookie' =>
  value === 'header' || value === 'query' || value === 'cookie';

/** The flows of OAuth 2.0 in the order in which a program without a user can use them. */
const flowNames = ['clientCredentials', 'password', 'authorizationCode', 'deviceAuthorization', 'implicit'] as const;

function describeFlow(scheme: JsonObject | undefined): { words: string; tokenUrl: string | null } {
  const flows = scheme && memberOf(scheme, 'flows');
  const names = flowNames.filter((name) => isJsonObject(memberOf(flows, name)));
  const [tokenUrl = null] = names.flatMap((name) => {
    const flow = memberOf(flows, name);
    return (isJsonObject(flow) ? textAt(flow, 'tokenUrl') : null) ?? [];
  });
  return { words: names.length > 0 ? ` (OAuth 2.0: ${names.join(', ')})` : ' (OAuth 2.0)', tokenUrl };
}

const describeDiscovery = (scheme: JsonObject | undefined): { words: string; tokenUrl: null } => ({
  words: ` (OpenID Connect: ${(scheme && textAt(scheme, 'openIdConnectUrl')) ?? 'no discovery URL'})`,
  tokenUrl: null,
});

/** Describes the value of a credential; null if there is none. */
export const valueHintOf = ({ type }: AuthenticationScheme, collectionName: string): string | null =>
  type === 'none' ? null : hintOf(type, collectionName);

function hintOf(type: AuthenticationScheme['type'], collectionName: string): string {
  const name = toShortLine(collectionName, 60);
  switch (type) {
    case 'basic':
      return 'base64(user:password), after "Basic "';
    case 'bearer':
      return `an access token of ${name}, after "Bearer "`;
    case 'apiKey':
      return `the key of ${name}`;
    case 'none':
      return 'no credential';
  }
}
