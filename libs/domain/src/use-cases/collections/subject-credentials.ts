import {
  type Initiator,
  isAdmin,
  type PersonAuthority,
  type Principal,
  requireReadableTarget,
} from '../../access/principal.ts';
import { subjectsMax } from '../../collections/collection-texts.ts';
import type { Collection } from '../../collections/collection.ts';
import type { CredentialSubject, NamedSubject } from '../../collections/credential.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { collectionFieldsOf, createAuditEffects, groupFieldsOf, profileFieldsOf } from '../audit/system-entry.ts';
import { type CredentialContent, sealCredential } from './credential-content.ts';
import { type ListedCredential, toListed } from './credentials.ts';
import { readSecurity, rejectForm, requireScheme, updateFromDocument } from './document-security.ts';

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'collections' | 'credentials' | 'documents' | 'cipher'>;

/** The group or profile that a credential is for, at a security scheme of a collection. */
export interface SubjectPlace {
  readonly collectionId: CollectionId;
  readonly scheme: string;
  readonly subject: CredentialSubject;
}

/**
 * Stores the credential of a group or profile for a security scheme of the collection's document, in place of an earlier
 * one. It is bound to the origins of the addresses that the collection has now. Throws `collection_not_found`,
 * `group_not_found`, `user_not_found`, `scheme_not_found`, `too_many_credentials`, and `invalid_body` for a credential
 * that the scheme does not take.
 */
export const setSubjectCredential =
  (ports: RequiredPorts) =>
  (authority: PersonAuthority, place: SubjectPlace, content: CredentialContent): Promise<ListedCredential> =>
    store(ports, authority, place, content, () => undefined);

/** Removes the credential of a group or profile. Throws `collection_not_found`, `group_not_found`, `user_not_found` and `credential_not_found`. */
export const removeSubjectCredential =
  (ports: RequiredPorts) =>
  (authority: PersonAuthority, place: SubjectPlace): Promise<void> =>
    remove(ports, authority, place, () => undefined);

/**
 * Stores the caller's own credential for the collection that the request is about, as `setSubjectCredential` does.
 * Throws `own_credentials_off` for a client if the collection does not allow them.
 */
export const setOwnCredential =
  (ports: RequiredPorts) =>
  async (principal: Principal<Collection>, scheme: string, content: CredentialContent): Promise<ListedCredential> => {
    const { initiator, place, check } = createOwnChange(principal, scheme);
    return store(ports, initiator, place, content, check);
  };

/** Removes the caller's own credential. Throws the errors of `setOwnCredential`, and `credential_not_found`. */
export const removeOwnCredential =
  (ports: RequiredPorts) =>
  async (principal: Principal<Collection>, scheme: string): Promise<void> => {
    const { initiator, place, check } = createOwnChange(principal, scheme);
    await remove(ports, initiator, place, check);
  };

/** Returns the caller's own credentials for the collection that the request is about, by scheme, without secrets. */
export const listOwnCredentials =
  ({ credentials }: Pick<Ports, 'credentials'>) =>
  async (principal: Principal<Collection>): Promise<readonly ListedCredential[]> => {
    const { id } = requireReadableTarget(principal);
    const usableCredentials = await credentials.listUsable(id, principal.profile.id);
    return usableCredentials
      .flatMap((credential) =>
        credential.subject?.kind === 'profile' ? [toListed(credential, credential.subject)] : [],
      )
      .toSorted((a, b) => (a.scheme < b.scheme ? -1 : 1));
  };

/** Checks the rules that depend on the collection's current settings. */
type Check = (collection: Collection) => void;

const createOwnChange = (principal: Principal<Collection>, scheme: string) => {
  const { profile, deadline } = principal;
  const collection = requireReadableTarget(principal);
  const check: Check = ({ ownCredentials }) => {
    if (!ownCredentials && !isAdmin(profile))
      throw new PorticoError('own_credentials_off', {
        reason: 'an administrator of the catalog can allow them for this collection',
      });
  };
  check(collection);
  const subject = { kind: 'profile', id: profile.id } as const;
  const initiator: Initiator = { actor: { id: profile.id, email: profile.email }, deadline };
  return { initiator, place: { collectionId: collection.id, scheme, subject }, check };
};

const store = async (
  ports: RequiredPorts,
  initiator: Initiator,
  { collectionId, scheme, subject }: SubjectPlace,
  content: CredentialContent,
  check: Check,
): Promise<ListedCredential> => {
  let listedCredential: ListedCredential | null = null;
  await updateFromDocument(
    ports,
    collectionId,
    (state) => readSecurity(ports, state, initiator.deadline),
    ({ schemes, origins }, isCurrent) =>
      ports.credentials.updateSubject(collectionId, toStorable(scheme), subject, (state) => {
        if (!isCurrent(state.collection)) return null;
        check(state.collection);
        rejectForm(requireScheme(schemes, scheme), content);
        if (state.otherSubjects >= subjectsMax)
          throw new PorticoError('too_many_credentials', {
            reason: `a scheme has at most ${subjectsMax.toLocaleString('en')} of groups and profiles`,
          });
        const earlierCredential = state.credential;
        const place = { collectionId, scheme, subject };
        const credential = sealCredential(ports, place, content, { origins, earlierCredential });
        listedCredential = toListed(credential, state.subject);
        return {
          credential,
          ...createAuditEffects(ports, initiator, {
            action: 'collection.credential_set',
            ...collectionFieldsOf(state.collection),
            ...subjectFieldsOf(state.subject),
            scheme,
            kind: content.kind,
            credential_id: credential.id,
          }),
        };
      }),
  );
  if (!listedCredential) throw new Error('The store did not call the decision');
  return listedCredential;
};

/** Returns a name that every database can look for: none stores U+0000, so no scheme has a name with it. */
const toStorable = (scheme: string): string => scheme.replaceAll('\0', '\ufffd').toWellFormed();

const remove = (
  ports: RequiredPorts,
  initiator: Initiator,
  { collectionId, scheme, subject }: SubjectPlace,
  check: Check,
): Promise<void> =>
  ports.credentials.updateSubject(collectionId, toStorable(scheme), subject, (state) => {
    check(state.collection);
    if (!state.credential) throw new PorticoError('credential_not_found');
    return {
      credential: null,
      ...createAuditEffects(ports, initiator, {
        action: 'collection.credential_delete',
        ...collectionFieldsOf(state.collection),
        ...subjectFieldsOf(state.subject),
        scheme,
        credential_id: state.credential.id,
      }),
    };
  });

/** Returns the fields of an audit entry that name a subject. */
export const subjectFieldsOf = (subject: NamedSubject) =>
  subject.kind === 'group' ? groupFieldsOf(subject) : profileFieldsOf(subject);
