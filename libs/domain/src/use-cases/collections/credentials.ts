import type { PersonAuthority } from '../../access/principal.ts';
import { schemesMax } from '../../collections/collection-texts.ts';
import type { Collection } from '../../collections/collection.ts';
import type { CredentialKind, NamedSubject, StoredCredential } from '../../collections/credential.ts';
import type { SecurityScheme } from '../../documents/security-scheme.ts';
import type { Deadline } from '../../deadline.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId, CredentialId } from '../../ids.ts';
import { nextChangeAt, type Instant } from '../../instant.ts';
import type { CredentialStore, Ports } from '../../ports/index.ts';
import { collectionFieldsOf, createAuditEffects, type SystemMessage } from '../audit/system-entry.ts';
import {
  type AuthenticationInput,
  type EffectiveAuthentication,
  openAuthentication,
  updateAuthentication,
} from './authentication.ts';
import { type CredentialContent, openCredential, sealCredential, toValue } from './credential-content.ts';
import {
  findOwnScheme,
  hasAuthenticationValue,
  isSentAlike,
  readSchemes,
  readSecurity,
  type ReadingPorts,
  rejectForm,
  requireScheme,
  updateFromDocument,
} from './document-security.ts';

/** The id of the credential in a collection's `authentication`. */
export const authenticationId = 'authentication';

/** A credential without its secret. */
export interface ListedCredential {
  readonly id: CredentialId | typeof authenticationId;
  readonly scheme: string;
  readonly kind: CredentialKind;
  /** Null for a credential for everyone. */
  readonly subject: NamedSubject | null;
  /** Null for the credential of the collection's `authentication`, whose dates are not recorded. */
  readonly createdAt: Instant | null;
  readonly updatedAt: Instant | null;
}

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'collections' | 'credentials' | 'documents' | 'cipher'>;
type Change = ReturnType<Parameters<CredentialStore['update']>[1]>;

/**
 * Returns the credentials of a collection by scheme, those for everyone first, without secrets. Includes the credential of
 * the collection's `authentication` if it belongs to a scheme of the document. Throws `collection_not_found`.
 */
export const listCredentials =
  (ports: ReadingPorts & Pick<RequiredPorts, 'credentials'>) =>
  async ({ deadline }: PersonAuthority, id: CollectionId): Promise<readonly ListedCredential[]> => {
    const collection = await ports.collections.find(id);
    if (!collection) throw new PorticoError('collection_not_found');
    const forEveryone = (await ports.credentials.list(id)).map((credential) => toListed(credential, null));
    const forSubjects = (await ports.credentials.listSubjects(id)).map((credential) =>
      toListed(credential, credential.subject),
    );
    const ownScheme = hasAuthenticationValue(collection)
      ? findOwnScheme(collection, await readSchemes(ports, id, deadline))
      : undefined;
    const isOwnListed = !ownScheme || forEveryone.some(({ scheme }) => scheme === ownScheme.name);
    const own = isOwnListed ? [] : [toListedAuthentication(ownScheme)];
    return [...forEveryone, ...own, ...forSubjects].toSorted((a, b) =>
      a.scheme < b.scheme ? -1 : a.scheme > b.scheme ? 1 : 0,
    );
  };

/**
 * Stores a credential for everyone, for a security scheme of the collection's document, in place of an earlier one. It
 * is bound to the origins of the addresses that the collection has now. The credential of
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
    await updateFromDocument(
      ports,
      id,
      (state) => readSecurity(ports, state, authority.deadline),
      ({ schemes, origins }, isCurrent) =>
        ports.credentials.update(id, (current, credentials) => {
          if (!isCurrent(current)) return null;
          const scheme = requireScheme(schemes, schemeName);
          rejectForm(scheme, content);
          const replacement = { scheme, content, origins, isOwn: findOwnScheme(current, schemes)?.name === schemeName };
          const { listed, ...change } = replaceCredential(ports, current, credentials, replacement);
          listedCredential = listed;
          const message = {
            action: 'collection.credential_set' as const,
            ...collectionFieldsOf(current),
            scheme: schemeName,
            kind: content.kind,
            credential_id: listed.id,
          };
          return createChange(ports, authority, { current, message, ...change });
        }),
    );
    if (!listedCredential) throw new Error('The store did not call the decision');
    return listedCredential;
  };

interface Replacement {
  readonly scheme: SecurityScheme;
  readonly content: CredentialContent;
  readonly origins: readonly string[];
  /** Whether the collection's `authentication` belongs to the scheme. */
  readonly isOwn: boolean;
}

/** Returns the new credential, and the state of the collection's credentials with it. */
const replaceCredential = (
  ports: RequiredPorts,
  current: Collection,
  credentials: readonly StoredCredential[],
  { scheme, content, origins, isOwn }: Replacement,
): Pick<Collection, 'storedAuthentication'> & {
  readonly listed: ListedCredential;
  readonly credentials: readonly StoredCredential[];
} => {
  const { id } = current;
  const otherCredentials = credentials.filter((credential) => credential.scheme !== scheme.name);
  const input = isOwn ? toAuthenticationInput(scheme, content) : null;
  if (input) {
    const storedAuthentication = updateAuthentication(ports.cipher, id, null, input, origins);
    return { listed: toListedAuthentication(scheme), storedAuthentication, credentials: otherCredentials };
  }
  if (otherCredentials.length >= schemesMax)
    throw new PorticoError('too_many_credentials', { reason: `a collection has at most ${schemesMax}` });
  const place = { collectionId: id, scheme: scheme.name, subject: null };
  const earlierCredential = credentials.find((credential) => credential.scheme === scheme.name);
  const credential = sealCredential(ports, place, content, { origins, earlierCredential });
  return {
    listed: toListed(credential, null),
    storedAuthentication: isOwn ? withoutValue(current) : current.storedAuthentication,
    credentials: [...otherCredentials, credential],
  };
};

/**
 * Removes the credential for everyone for a security scheme, even if the document no longer has the scheme. Throws
 * `collection_not_found` and `credential_not_found`.
 */
export const removeCredential =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, id: CollectionId, schemeName: string): Promise<void> =>
    updateFromDocument(
      ports,
      id,
      ({ packed }) => ports.documents.readSecuritySchemes(packed, authority.deadline),
      (schemes, isCurrent) =>
        ports.credentials.update(id, (current, credentials) => {
          if (!isCurrent(current)) return null;
          const isOwn = hasAuthenticationValue(current) && findOwnScheme(current, schemes)?.name === schemeName;
          const credential = credentials.find(({ scheme }) => scheme === schemeName);
          if (!isOwn && !credential) throw new PorticoError('credential_not_found');
          return createChange(ports, authority, {
            current,
            message: {
              action: 'collection.credential_delete',
              ...collectionFieldsOf(current),
              scheme: schemeName,
              credential_id: credential?.id ?? authenticationId,
            },
            storedAuthentication: isOwn ? withoutValue(current) : current.storedAuthentication,
            credentials: credentials.filter(({ scheme }) => scheme !== schemeName),
          });
        }),
    );

/**
 * Returns how calls authenticate by a scheme of the collection's document, with the credential for everyone as one value; null
 * in its place if there is none, or only an OAuth client. Throws `scheme_not_found`.
 */
export const openCredentialFor = async (
  ports: ReadingPorts & Pick<RequiredPorts, 'credentials' | 'cipher'>,
  collection: Collection,
  schemeName: string,
  deadline: Deadline | null,
): Promise<EffectiveAuthentication> => {
  const { id } = collection;
  const schemes = await readSchemes(ports, id, deadline);
  const scheme = requireScheme(schemes, schemeName);
  const stored = (await ports.credentials.list(id)).find((credential) => credential.scheme === schemeName);
  if (!stored && findOwnScheme(collection, schemes)?.name === schemeName)
    return openAuthentication(ports.cipher, collection);
  const place = { collectionId: id, scheme: schemeName, subject: null };
  const content = stored ? openCredential(ports.cipher, place, stored.sealed) : null;
  return { ...scheme.authentication, value: content && toValue(content) };
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

/** Returns the stored authentication without its value; null if the document's own is the same. */
const withoutValue = ({ storedAuthentication, derivedAuthentication }: Collection) =>
  storedAuthentication && !isSentAlike(storedAuthentication, derivedAuthentication)
    ? { ...storedAuthentication, sealedValue: null, origins: null }
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

export const toListed = (
  { id, scheme, kind, createdAt, updatedAt }: StoredCredential,
  subject: NamedSubject | null,
): ListedCredential => ({ id, scheme, kind, subject, createdAt, updatedAt });

const toListedAuthentication = ({ name, type }: SecurityScheme): ListedCredential => ({
  id: authenticationId,
  scheme: name,
  kind: type === 'basic' ? 'basic' : 'value',
  subject: null,
  createdAt: null,
  updatedAt: null,
});
