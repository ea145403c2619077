import type { PersonAuthority } from '../../access/principal.ts';
import { toBase64 } from '../../base64.ts';
import { schemesMax } from '../../collections/collection-texts.ts';
import type {
  AuthenticationScheme,
  Collection,
  CredentialKind,
  StoredCredential,
} from '../../collections/collection.ts';
import type { SecurityScheme } from '../../documents/security-scheme.ts';
import type { Deadline } from '../../deadline.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId } from '../../ids.ts';
import { nextChangeAt, type Instant } from '../../instant.ts';
import { toShortLine } from '../../line.ts';
import type { CredentialStore, Ports } from '../../ports/index.ts';
import { collectionFieldsOf, createAuditEffects, type SystemMessage } from '../audit/system-entry.ts';
import {
  type AuthenticationInput,
  type EffectiveAuthentication,
  openAuthentication,
  updateAuthentication,
} from './authentication.ts';

/** A credential in plain text. */
export type CredentialContent =
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'client'; readonly clientId: string; readonly clientSecret: string };

/** A credential without its secret. */
export interface ListedCredential {
  readonly scheme: string;
  readonly kind: CredentialKind;
  /** Null for the credential of the collection's `authentication`, whose dates are not recorded. */
  readonly createdAt: Instant | null;
  readonly updatedAt: Instant | null;
}

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'collections' | 'credentials' | 'documents' | 'cipher'>;
type ReadingPorts = Pick<RequiredPorts, 'collections' | 'documents'>;
type Change = ReturnType<Parameters<CredentialStore['update']>[1]>;

/**
 * Returns the credentials of a collection by scheme, without secrets. Includes the credential of the collection's
 * `authentication` if it belongs to a scheme of the document. Throws `collection_not_found`.
 */
export const listCredentials =
  (ports: ReadingPorts & Pick<RequiredPorts, 'credentials'>) =>
  async ({ deadline }: PersonAuthority, id: CollectionId): Promise<readonly ListedCredential[]> => {
    const collection = await ports.collections.find(id);
    if (!collection) throw new PorticoError('collection_not_found');
    const credentials = (await ports.credentials.list(id)).map(toListed);
    if (!hasAuthenticationValue(collection)) return credentials;
    const { schemes } = await readSchemes(ports, id, deadline);
    const ownScheme = findOwnScheme(collection, schemes);
    if (!ownScheme || credentials.some(({ scheme }) => scheme === ownScheme.name)) return credentials;
    return [...credentials, toListedAuthentication(ownScheme)].toSorted((a, b) => (a.scheme < b.scheme ? -1 : 1));
  };

/**
 * Stores a credential for a security scheme of the collection's document, in place of an earlier one. The credential of
 * the scheme that the collection's `authentication` belongs to is stored there if it can be sent as one value. Throws
 * `collection_not_found`, `scheme_not_found`, `too_many_credentials`, and `invalid_body` for a credential that the
 * scheme does not take.
 */
export const setCredential =
  (ports: RequiredPorts) =>
  async (
    authority: PersonAuthority,
    id: CollectionId,
    schemeName: string,
    content: CredentialContent,
  ): Promise<ListedCredential> => {
    let listedCredential: ListedCredential | null = null;
    await updateWithSchemes(ports, authority, id, (schemes, current, credentials) => {
      const scheme = requireScheme(schemes, schemeName);
      rejectForm(scheme, content);
      const ownScheme = findOwnScheme(current, schemes);
      const otherCredentials = credentials.filter((credential) => credential.scheme !== schemeName);
      const message = {
        action: 'collection.credential_set' as const,
        ...collectionFieldsOf(current),
        scheme: schemeName,
        kind: content.kind,
      };
      const input = ownScheme?.name === schemeName ? toAuthenticationInput(scheme, content) : null;
      if (input) {
        listedCredential = toListedAuthentication(scheme);
        const storedAuthentication = updateAuthentication(ports.cipher, id, null, input);
        return createChange(ports, authority, {
          current,
          message,
          storedAuthentication,
          credentials: otherCredentials,
        });
      }
      if (otherCredentials.length >= schemesMax)
        throw new PorticoError('too_many_credentials', { reason: `a collection has at most ${schemesMax}` });
      const earlierCredential = credentials.find((credential) => credential.scheme === schemeName);
      const newCredential = seal(ports, id, schemeName, content, earlierCredential);
      listedCredential = toListed(newCredential);
      return createChange(ports, authority, {
        current,
        message,
        storedAuthentication: ownScheme?.name === schemeName ? withoutValue(current) : current.storedAuthentication,
        credentials: [...otherCredentials, newCredential],
      });
    });
    if (!listedCredential) throw new Error('The store did not call the decision');
    return listedCredential;
  };

/**
 * Removes the credential for a security scheme, even if the document no longer has the scheme. Throws
 * `collection_not_found` and `credential_not_found`.
 */
export const removeCredential =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, id: CollectionId, schemeName: string): Promise<void> => {
    await updateWithSchemes(ports, authority, id, (schemes, current, credentials) => {
      const isOwn = hasAuthenticationValue(current) && findOwnScheme(current, schemes)?.name === schemeName;
      const remainingCredentials = credentials.filter(({ scheme }) => scheme !== schemeName);
      if (!isOwn && remainingCredentials.length === credentials.length) throw new PorticoError('credential_not_found');
      return createChange(ports, authority, {
        current,
        message: { action: 'collection.credential_delete', ...collectionFieldsOf(current), scheme: schemeName },
        storedAuthentication: isOwn ? withoutValue(current) : current.storedAuthentication,
        credentials: remainingCredentials,
      });
    });
  };

/** Returns the credential, resealed with the current key; null if it does not need resealing. */
export const resealCredential = (
  cipher: Ports['cipher'],
  id: CollectionId,
  credential: StoredCredential,
): StoredCredential | null => {
  if (cipher.isCurrent(credential.sealed)) return null;
  const context = sealingContextOf(id, credential.scheme);
  return { ...credential, sealed: cipher.seal(cipher.open(credential.sealed, context), context) };
};

/** Opens a credential; throws if no key opens it for this collection and scheme. */
export const openCredential = (
  cipher: Ports['cipher'],
  id: CollectionId,
  { scheme, sealed }: Pick<StoredCredential, 'scheme' | 'sealed'>,
): CredentialContent => JSON.parse(cipher.open(sealed, sealingContextOf(id, scheme))) as CredentialContent;

/**
 * Returns how calls authenticate by a scheme of the collection's document, with the stored credential as one value; null
 * in its place if there is none, or only an OAuth client. Throws `scheme_not_found`.
 */
export const openCredentialFor = async (
  ports: ReadingPorts & Pick<RequiredPorts, 'credentials' | 'cipher'>,
  collection: Collection,
  schemeName: string,
  deadline: Deadline | null,
): Promise<EffectiveAuthentication> => {
  const { schemes } = await readSchemes(ports, collection.id, deadline);
  const scheme = requireScheme(schemes, schemeName);
  const stored = (await ports.credentials.list(collection.id)).find((credential) => credential.scheme === schemeName);
  if (!stored && findOwnScheme(collection, schemes)?.name === schemeName)
    return openAuthentication(ports.cipher, collection);
  const content = stored ? openCredential(ports.cipher, collection.id, stored) : null;
  return { ...scheme.authentication, value: content && toValue(content) };
};

/** Returns a credential as one value; null if calls do not send it. */
const toValue = (content: CredentialContent): string | null => {
  switch (content.kind) {
    case 'value':
      return content.value;
    case 'basic':
      return toBase64(`${content.username}:${content.password}`);
    case 'client':
      return null;
  }
};

const sealingContextOf = (id: CollectionId, scheme: string): string => `collection:${id}:credential:${scheme}`;

const seal = (
  { cipher, clock }: Pick<Ports, 'cipher' | 'clock'>,
  id: CollectionId,
  scheme: string,
  content: CredentialContent,
  earlierCredential: StoredCredential | undefined,
): StoredCredential => {
  const now = clock.now();
  return {
    scheme,
    kind: content.kind,
    sealed: cipher.seal(JSON.stringify(content), sealingContextOf(id, scheme)),
    createdAt: earlierCredential?.createdAt ?? now,
    updatedAt: earlierCredential ? nextChangeAt(earlierCredential.updatedAt, now) : now,
  };
};

/** How many times in a row a document may be replaced while its schemes are being read. */
const attemptsMax = 10;

/** Reads the security schemes of the collection's document. */
const readSchemes = async (
  { collections, documents }: ReadingPorts,
  id: CollectionId,
  deadline: Deadline | null,
): Promise<{ readonly digest: string; readonly schemes: readonly SecurityScheme[] }> => {
  const document = await collections.findDocument(id);
  if (!document) throw new PorticoError('collection_not_found');
  return { digest: document.digest, schemes: await documents.readSecuritySchemes(document.packed, deadline) };
};

/** Changes the credentials based on the schemes of the document that the collection has in this transaction. */
const updateWithSchemes = async (
  ports: RequiredPorts,
  { deadline }: PersonAuthority,
  id: CollectionId,
  decide: (schemes: readonly SecurityScheme[], current: Collection, credentials: readonly StoredCredential[]) => Change,
): Promise<void> => {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const { digest, schemes } = await readSchemes(ports, id, deadline);
    const result = { isCurrent: false };
    await ports.credentials.update(id, (current, credentials) => {
      result.isCurrent = current.documentDigest === digest;
      return result.isCurrent ? decide(schemes, current, credentials) : null;
    });
    if (result.isCurrent) return;
  }
  throw new Error(`The document of collection ${id} was replaced ${attemptsMax} times while it was read`);
};

/** Returns the change with its audit entries: one for the credential, and one for a changed `authentication`. */
const createChange = (
  ports: Pick<Ports, 'clock' | 'random'>,
  authority: PersonAuthority,
  {
    current,
    message,
    storedAuthentication,
    credentials,
  }: Pick<Collection, 'storedAuthentication'> & {
    readonly current: Collection;
    readonly message: SystemMessage;
    readonly credentials: readonly StoredCredential[];
  },
): Change => {
  const update = { action: 'collection.update' as const, ...collectionFieldsOf(current), fields: ['authentication'] };
  const messages = storedAuthentication === current.storedAuthentication ? [message] : [message, update];
  return {
    collection: {
      ...current,
      storedAuthentication,
      credentialSchemes: credentials.map(({ scheme }) => scheme),
      revision: current.revision + 1,
      updatedAt: nextChangeAt(current.updatedAt, ports.clock.now()),
    },
    credentials,
    ...createAuditEffects(ports, authority, ...messages),
  };
};

const requireScheme = (schemes: readonly SecurityScheme[], name: string): SecurityScheme => {
  const scheme = schemes.find((candidate) => candidate.name === name);
  if (scheme) return scheme;
  const names = schemes.map((candidate) => candidate.name).join(', ');
  throw new PorticoError('scheme_not_found', {
    reason: names === '' ? 'the document has none' : `the document has ${toShortLine(names, namesLengthMax)}`,
  });
};

/** The maximum length of the names in an error, in UTF-16 units. */
const namesLengthMax = 500;

/** The kinds of credentials that each type of scheme takes. */
const kindsByType: Readonly<Record<SecurityScheme['type'], readonly CredentialKind[]>> = {
  apiKey: ['value'],
  bearer: ['value'],
  basic: ['basic'],
  oauth2: ['value', 'client'],
  openIdConnect: ['value', 'client'],
  mutualTLS: [],
  http: ['value'],
  unknown: ['value'],
};

const memberNames: Readonly<Record<CredentialKind, string>> = {
  value: 'value',
  basic: 'username and password',
  client: 'client_id and client_secret',
};

const rejectForm = ({ type }: SecurityScheme, { kind }: CredentialContent): void => {
  const kinds = kindsByType[type];
  if (kinds.includes(kind)) return;
  const reason =
    kinds.length === 0
      ? `the scheme has the type ${type}, for which no credential can be stored`
      : `the scheme has the type ${type}: send ${kinds.map((allowedKind) => memberNames[allowedKind]).join(', or ')}`;
  throw new PorticoError('invalid_body', { reason });
};

/**
 * Returns the scheme that the collection's `authentication` belongs to: the first one that is sent in the same way;
 * undefined if there is none.
 */
const findOwnScheme = (
  { storedAuthentication, derivedAuthentication }: Collection,
  schemes: readonly SecurityScheme[],
): SecurityScheme | undefined => {
  const authentication = storedAuthentication ?? derivedAuthentication;
  return schemes.find((scheme) => authentication.type !== 'none' && isSentAlike(scheme.authentication, authentication));
};

const isSentAlike = (a: AuthenticationScheme, b: AuthenticationScheme): boolean =>
  a.type === b.type && a.name === b.name && a.in === b.in;

const hasAuthenticationValue = ({ storedAuthentication }: Collection): boolean =>
  storedAuthentication !== null && storedAuthentication.sealedValue !== null;

/** Returns the stored authentication without its value; null if the document's own is the same. */
const withoutValue = ({ storedAuthentication, derivedAuthentication }: Collection) =>
  storedAuthentication && !isSentAlike(storedAuthentication, derivedAuthentication)
    ? { ...storedAuthentication, sealedValue: null }
    : null;

/** Returns the credential as a collection's `authentication`; null if it is not sent as one value. */
const toAuthenticationInput = (
  { authentication: { type, name, in: place } }: SecurityScheme,
  content: CredentialContent,
): AuthenticationInput | null => {
  const value = toValue(content);
  if (value === null) return null;
  if (type === 'apiKey' && name !== null) return { type, name, in: place, value };
  return type === 'bearer' || type === 'basic' ? { type, name, value } : null;
};

const toListed = ({ scheme, kind, createdAt, updatedAt }: StoredCredential): ListedCredential => ({
  scheme,
  kind,
  createdAt,
  updatedAt,
});

const toListedAuthentication = ({ name, type }: SecurityScheme): ListedCredential => ({
  scheme: name,
  kind: type === 'basic' ? 'basic' : 'value',
  createdAt: null,
  updatedAt: null,
});
