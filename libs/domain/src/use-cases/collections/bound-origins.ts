import type { AdminAuthority, PersonAuthority } from '../../access/principal.ts';
import type { NamedSubject } from '../../collections/credential.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId } from '../../ids.ts';
import { toShortLine } from '../../line.ts';
import type { Ports } from '../../ports/index.ts';
import { collectionFieldsOf, createAuditEffects } from '../audit/system-entry.ts';
import { authenticationId } from './credentials.ts';
import {
  findOwnScheme,
  hasAuthenticationValue,
  readDocumentState,
  readSecurity,
  updateFromDocument,
} from './document-security.ts';

/** A credential, and the origins that it is bound to. */
export interface BoundCredential {
  /** `authentication` for the one of the collection's `authentication`. */
  readonly id: string;
  /** Null for a collection's `authentication` that matches no scheme of the document. */
  readonly scheme: string | null;
  readonly subject: NamedSubject | null;
  /** Null if none were recorded. */
  readonly origins: readonly string[] | null;
  /** Whether calls to every current origin may send the credential. */
  readonly isCurrent: boolean;
}

export interface BoundOrigins {
  /** The origins of the addresses that the collection has now. */
  readonly current: readonly string[];
  readonly credentials: readonly BoundCredential[];
}

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'collections' | 'credentials' | 'documents'>;

/** Returns the origins that the credentials of a collection are bound to. Throws `collection_not_found`. */
export const readOrigins =
  (ports: RequiredPorts) =>
  async ({ deadline }: AdminAuthority, id: CollectionId): Promise<BoundOrigins> => {
    const collection = await ports.collections.find(id);
    if (!collection) throw new PorticoError('collection_not_found');
    const { schemes, origins: current } = await readSecurity(ports, await readDocumentState(ports, id), deadline);
    const forEveryone = await ports.credentials.list(id);
    const own = hasAuthenticationValue(collection)
      ? [
          {
            id: authenticationId,
            scheme: findOwnScheme(collection, schemes)?.name ?? null,
            origins: collection.storedAuthentication?.origins ?? null,
            subject: null,
          },
        ]
      : [];
    const credentials = [
      ...own,
      ...forEveryone.map((credential) => ({ ...credential, subject: null })),
      ...(await ports.credentials.listSubjects(id)),
    ].map(({ id: credentialId, scheme, subject, origins }) => ({
      ...{ id: credentialId, scheme, subject, origins },
      isCurrent: origins !== null && current.every((origin) => origins.includes(origin)),
    }));
    return { current, credentials };
  };

/**
 * Binds all credentials of a collection to the origins of its current addresses. Throws `collection_not_found`, and
 * `origin_changed` with the current origins if they are not those that the administrator confirms.
 */
export const confirmOrigins =
  (ports: RequiredPorts) =>
  async (authority: PersonAuthority, id: CollectionId, confirmedOrigins: readonly string[]): Promise<void> =>
    updateFromDocument(
      ports,
      id,
      ({ packed, settings }) => ports.documents.readOrigins(packed, settings, authority.deadline),
      (origins, isCurrent) =>
        ports.credentials.bind(id, (collection) => {
          if (!isCurrent(collection)) return null;
          requireSame(origins, confirmedOrigins);
          return {
            origins,
            ...createAuditEffects(ports, authority, {
              action: 'collection.origins_confirm',
              ...collectionFieldsOf(collection),
              origins: origins.slice(0, auditedMax),
              count: origins.length,
            }),
          };
        }),
    );

/** The maximum number of origins in an audit entry. */
const auditedMax = 20;

/** The maximum length of the origins in an error, in UTF-16 units. */
const listLengthMax = 2_000;

const requireSame = (current: readonly string[], confirmed: readonly string[]): void => {
  const confirmedSet = new Set(confirmed);
  if (confirmedSet.size === current.length && current.every((origin) => confirmedSet.has(origin))) return;
  const list = toShortLine(current.join(', '), listLengthMax);
  throw new PorticoError('origin_changed', { reason: `its origins are ${list === '' ? 'none' : list}` });
};
