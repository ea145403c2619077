import { type Principal, requireReadableTarget } from '../../access/principal.ts';
import type { Collection } from '../../collections/collection.ts';
import type { UsableCredential } from '../../collections/credential.ts';
import { PorticoError } from '../../errors.ts';
import type { Instant } from '../../instant.ts';
import { toShortLine } from '../../line.ts';
import type { Ports } from '../../ports/index.ts';
import { openAuthentication } from './authentication.ts';
import { type CredentialContent, openCredential } from './credential-content.ts';
import { authenticationId } from './credentials.ts';
import { findOwnScheme, hasAuthenticationValue } from './document-security.ts';

/** A credential in plain text, for one call. */
export interface CallCredential {
  /** `authentication` for the one of the collection's `authentication`. */
  readonly id: string;
  /** Null for the collection's `authentication` that matches no scheme of the document. */
  readonly scheme: string | null;
  readonly content: CredentialContent;
  /** The origins that it may be sent to (`originOf`); none if none were recorded when it was set. */
  readonly origins: readonly string[];
  /** Null for the one of the collection's `authentication`, whose dates are not recorded. */
  readonly updatedAt: Instant | null;
}

/** The credential that a profile's calls use for each scheme: its own before its groups' before everyone's. */
export interface CallCredentials {
  /** Schemes for which a credential exists, including ambiguous ones. */
  readonly schemes: readonly string[];
  /**
   * Opens the credential for a scheme; for null, that of the collection's `authentication`, whose scheme the document does not have. Null
   * if there is none. Throws `ambiguous_credential`, whose reason names the groups, if credentials of several groups fit and the
   * profile has none of its own.
   */
  readonly open: (scheme: string | null) => CallCredential | null;
}

type RequiredPorts = Pick<Ports, 'credentials' | 'collections' | 'documents' | 'cipher'>;

/**
 * Returns the credentials that calls of the caller use for the collection that the request is about. Only profiles have
 * groups and credentials of their own; a service account and the operator use those for everyone.
 */
export const readCallCredentials = (ports: RequiredPorts) => {
  const readOwnSchemeName = createOwnSchemeReader(ports);
  return async (principal: Principal<Collection>): Promise<CallCredentials> => {
    const collection = requireReadableTarget(principal);
    const profileId = principal.via === 'token' || principal.via === 'key' ? principal.profile.id : null;
    const credentials = await ports.credentials.listUsable(collection.id, profileId);
    const ownSchemeName = await readOwnSchemeName(collection, principal);
    const schemes = credentials.map(({ scheme }) => scheme);
    return {
      schemes: [...new Set(ownSchemeName === null ? schemes : [...schemes, ownSchemeName])],
      open: (scheme) => {
        const credential = scheme === null ? null : selectCredential(credentials, scheme);
        if (credential) return openStored(ports, collection, credential);
        return scheme === null || scheme === ownSchemeName ? openOwn(ports, collection, scheme) : null;
      },
    };
  };
};

const selectCredential = (credentials: readonly UsableCredential[], scheme: string): UsableCredential | null => {
  const candidates = credentials.filter((credential) => credential.scheme === scheme);
  const own = candidates.find(({ subject }) => subject?.kind === 'profile');
  if (own) return own;
  const [ofGroup, ...ofOtherGroups] = candidates.filter(({ subject }) => subject?.kind === 'group');
  if (ofGroup && ofOtherGroups.length > 0) throw createAmbiguityError(scheme, [ofGroup, ...ofOtherGroups]);
  return ofGroup ?? candidates.find(({ subject }) => subject === null) ?? null;
};

/** The maximum length of the names in an error, in UTF-16 units. */
const namesLengthMax = 500;

const createAmbiguityError = (scheme: string, candidates: readonly UsableCredential[]): PorticoError => {
  const names = candidates.flatMap(({ subject }) => (subject?.kind === 'group' ? [subject.name] : [])).sort();
  return new PorticoError('ambiguous_credential', {
    reason:
      `for the scheme ${scheme}, these groups have one: ${toShortLine(names.join(', '), namesLengthMax)}; ` +
      'a credential of your own is used instead, or an administrator removes one of them',
  });
};

const openStored = (
  { cipher }: Pick<Ports, 'cipher'>,
  { id: collectionId }: Collection,
  { id, scheme, subject, sealed, origins, updatedAt }: UsableCredential,
): CallCredential => ({
  id,
  scheme,
  content: openCredential(cipher, { collectionId, scheme, subject }, sealed),
  origins: origins ?? [],
  updatedAt,
});

const openOwn = (
  { cipher }: Pick<Ports, 'cipher'>,
  collection: Collection,
  scheme: string | null,
): CallCredential | null => {
  const { value } = openAuthentication(cipher, collection);
  if (value === null) return null;
  const origins = collection.storedAuthentication?.origins ?? [];
  return { id: authenticationId, scheme, content: { kind: 'value', value }, origins, updatedAt: null };
};

/** The maximum number of documents and authentications for which the scheme is cached. */
const cachedNamesMax = 1_000;

/**
 * Returns a function that finds the scheme that a collection's `authentication` belongs to. It depends only on the document
 * and the authentication, so it is cached under both: otherwise every call would parse the document.
 */
const createOwnSchemeReader = ({ collections, documents }: Pick<Ports, 'collections' | 'documents'>) => {
  const cache = new Map<string, string | null>();
  return async (collection: Collection, { deadline }: Pick<Principal, 'deadline'>): Promise<string | null> => {
    if (!hasAuthenticationValue(collection)) return null;
    const { type, name, in: place } = collection.storedAuthentication ?? collection.derivedAuthentication;
    const keyOf = (digest: string): string => JSON.stringify([digest, type, name, place]);
    const cachedName = cache.get(keyOf(collection.documentDigest));
    if (cachedName !== undefined) return cachedName;
    const document = await collections.findDocument(collection.id);
    if (!document) throw new PorticoError('collection_not_found');
    const schemes = await documents.readSecuritySchemes(document.packed, deadline);
    const schemeName = findOwnScheme(collection, schemes)?.name ?? null;
    const [oldestKey] = cache.keys();
    if (oldestKey !== undefined && cache.size >= cachedNamesMax) cache.delete(oldestKey);
    cache.set(keyOf(document.digest), schemeName);
    return schemeName;
  };
};
