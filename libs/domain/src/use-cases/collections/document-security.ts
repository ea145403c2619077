import type { AuthenticationScheme, Collection } from '../../collections/collection.ts';
import type { CredentialKind } from '../../collections/credential.ts';
import type { Deadline } from '../../deadline.ts';
import type { PackedText } from '../../documents/document.ts';
import type { SecurityScheme } from '../../documents/security-scheme.ts';
import { PorticoError } from '../../errors.ts';
import type { CollectionId } from '../../ids.ts';
import { toShortLine } from '../../line.ts';
import type { ServerSettings } from '../../operations/call-settings.ts';
import type { Ports } from '../../ports/index.ts';
import type { CredentialContent } from './credential-content.ts';

export type ReadingPorts = Pick<Ports, 'collections' | 'documents'>;

/** The document of a collection, and the settings that its addresses depend on. */
export interface DocumentState {
  readonly digest: string;
  readonly packed: PackedText;
  readonly settings: ServerSettings;
}

/** Throws `collection_not_found`. */
export const readDocumentState = async (
  { collections }: Pick<Ports, 'collections'>,
  id: CollectionId,
): Promise<DocumentState> => {
  const [collection, document] = [await collections.find(id), await collections.findDocument(id)];
  if (!collection || !document) throw new PorticoError('collection_not_found');
  return { ...document, settings: serverSettingsOf(collection) };
};

export const serverSettingsOf = ({ baseUrlSetting, serverVariables }: Collection): ServerSettings => ({
  baseUrl: baseUrlSetting,
  serverVariables,
});

/** Whether the collection has this document and these settings. */
export const hasState = (
  collection: Collection,
  { digest, settings }: Pick<DocumentState, 'digest' | 'settings'>,
): boolean => {
  const { baseUrl, serverVariables } = serverSettingsOf(collection);
  return (
    collection.documentDigest === digest &&
    baseUrl === settings.baseUrl &&
    toText(serverVariables) === toText(settings.serverVariables)
  );
};

const toText = (variables: ServerSettings['serverVariables']): string =>
  JSON.stringify(Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1)));

/** How many times in a row a document may be replaced while it is being read. */
const attemptsMax = 10;

/**
 * Repeats a change whose facts are read from the document until they are those of the document that the collection has
 * in the transaction: `update` calls `isCurrent` there, and changes nothing if it returns false.
 */
export const updateFromDocument = async <Facts>(
  ports: Pick<Ports, 'collections'>,
  id: CollectionId,
  readFacts: (state: DocumentState) => Promise<Facts>,
  update: (facts: Facts, isCurrent: (collection: Collection) => boolean) => Promise<unknown>,
): Promise<void> => {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const state = await readDocumentState(ports, id);
    const facts = await readFacts(state);
    let isUpToDate = false;
    await update(facts, (collection) => (isUpToDate = hasState(collection, state)));
    if (isUpToDate) return;
  }
  throw new Error(`The document of collection ${id} was replaced ${attemptsMax} times while it was read`);
};

/** Returns the security schemes of the collection's document. */
export const readSchemes = async (
  ports: ReadingPorts,
  id: CollectionId,
  deadline: Deadline | null,
): Promise<readonly SecurityScheme[]> =>
  ports.documents.readSecuritySchemes((await readDocumentState(ports, id)).packed, deadline);

/** Returns the facts that a new credential depends on. */
export const readSecurity = async (
  { documents }: Pick<Ports, 'documents'>,
  { packed, settings }: DocumentState,
  deadline: Deadline | null,
): Promise<{ readonly schemes: readonly SecurityScheme[]; readonly origins: readonly string[] }> => ({
  schemes: await documents.readSecuritySchemes(packed, deadline),
  origins: await documents.readOrigins(packed, settings, deadline),
});

/** Throws `scheme_not_found`. */
export const requireScheme = (schemes: readonly SecurityScheme[], name: string): SecurityScheme => {
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

/** Throws `invalid_body` for a credential that the scheme does not take. */
export const rejectForm = ({ type }: SecurityScheme, { kind }: CredentialContent): void => {
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
export const findOwnScheme = (
  { storedAuthentication, derivedAuthentication }: Collection,
  schemes: readonly SecurityScheme[],
): SecurityScheme | undefined => {
  const authentication = storedAuthentication ?? derivedAuthentication;
  return schemes.find((scheme) => authentication.type !== 'none' && isSentAlike(scheme.authentication, authentication));
};

/** The names of headers ignore case (RFC 9110, section 5.1). */
export const isSentAlike = (a: AuthenticationScheme, b: AuthenticationScheme): boolean =>
  a.type === b.type && a.in === b.in && (a.type === 'apiKey' ? a.name === b.name : isSameHeader(a.name, b.name));

const isSameHeader = (a: string | null, b: string | null): boolean => a?.toLowerCase() === b?.toLowerCase();

export const hasAuthenticationValue = ({ storedAuthentication }: Collection): boolean =>
  storedAuthentication !== null && storedAuthentication.sealedValue !== null;
