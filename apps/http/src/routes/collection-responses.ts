import type { IncomingMessage } from 'node:http';
import {
  toIso,
  type CollectionHead,
  type CollectionId,
  type CollectionWithDocument,
  type Instant,
  type ListedCollection,
  type PackedText,
} from '@portico/domain';
import { ready, type ReadyResponse } from '../responses/route-response.ts';
import { ifMatchLists } from '../responses/negotiation.ts';
import { gzipAround, plainAround, plainOf } from '../responses/packed-document.ts';
import {
  type BodyCache,
  cachingHeaders,
  type Coding,
  codingFor,
  digestTag,
  encodedJson,
  formatVersion,
  taggedResponse,
  unchanged,
} from '../responses/tagged-response.ts';
import { isoOrNull } from './wire.ts';

/**
 * Creates the response for one collection, with its document spliced in as stored. The document is not read if the
 * caller or this process already has the body: an entity tag never identifies two bodies of the same collection.
 */
export const collectionResponse = async (
  request: IncomingMessage,
  bodies: BodyCache,
  collection: CollectionHead,
  readDocument: () => Promise<CollectionWithDocument>,
): Promise<ReadyResponse> => {
  const coding = codingFor(request);
  const etag = collectionEtag(collection, coding);
  const same = unchanged(request, etag);
  if (same) return same;
  const cached = bodies.get(collection.id + etag);
  if (cached) return ready(cached.bytes, cachingHeaders(etag, coding));
  const read = await readDocument();
  const body = {
    etag: collectionEtag(read.collection, coding),
    bytes: await spliced(read.collection, read.document, coding, ['created_by', 'created_at']),
  };
  const { bytes } = body;
  if (bytes instanceof Uint8Array) bodies.set(read.collection.id + body.etag, { etag: body.etag, bytes });
  return ready(bytes, cachingHeaders(body.etag, coding));
};

/** The additional fields of collections that a caller can request; null for fields that were not requested. */
export interface Extras {
  /** The last use of each collection. */
  readonly uses: ReadonlyMap<CollectionId, Instant> | null;
  readonly discoverable: ReadonlySet<CollectionId> | null;
}

const noExtras: Extras = { uses: null, discoverable: null };

const extrasView = ({ uses, discoverable }: Extras, id: CollectionId) => ({
  ...(uses ? { last_used_at: isoOrNull(uses.get(id) ?? null) } : {}),
  ...(discoverable ? { discoverable: discoverable.has(id) } : {}),
});

/**
 * Creates the response for one collection with fields that its entity tag does not cover, so the response must not be
 * cached.
 */
export const collectionWithExtrasResponse = async (
  request: IncomingMessage,
  { collection, document }: CollectionWithDocument,
  extras: Extras,
): Promise<ReadyResponse> => {
  const coding = codingFor(request);
  const extra = extrasView(extras, collection.id);
  const body = await spliced(collection, document, coding, ['created_by', 'created_at'], extra);
  return ready(body, { Vary: 'Accept-Encoding', ...(coding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}) });
};

const collectionEtag = ({ revision, updatedAt }: CollectionHead, coding: Coding): string =>
  `"${formatVersion}.${revision}.${updatedAt.toString(36)}.${coding}"`;

/**
 * Returns the condition of `If-Match` on the current collection; undefined if the header is absent. Accepts the tag of
 * any response that identifies the collection's state: the collection in any coding, its metadata, or its summary. A
 * document's tag covers less than the collection, and a list's tag covers more.
 */
export const expectedState = ({ headers }: IncomingMessage): ((current: CollectionHead) => boolean) | undefined => {
  const ifMatch = headers['if-match'];
  return ifMatch === undefined ? undefined : (current) => ifMatchLists(ifMatch, stateTags(current));
};

const stateTags = (collection: CollectionHead): readonly string[] => [
  collectionEtag(collection, 'identity'),
  collectionEtag(collection, 'gzip'),
  metadataEtag(collection, false),
  metadataEtag(collection, true),
  summaryEtag(collection),
];

/** Creates the response for a collection's document alone, as stored. */
export const documentResponse = async (
  request: IncomingMessage,
  collection: CollectionHead,
  readDocument: () => Promise<CollectionWithDocument>,
): Promise<ReadyResponse> => {
  const coding = codingFor(request);
  const same = unchanged(request, documentTag(collection.documentDigest, 'json', coding));
  if (same) return same;
  const { collection: current, document } = await readDocument();
  const around = coding === 'gzip' ? gzipAround : plainAround;
  const bytes = await around(nothing, document, nothing);
  return ready(bytes, cachingHeaders(documentTag(current.documentDigest, 'json', coding), coding));
};

/**
 * Creates the response for a collection's document as YAML, which is slow to produce. Each document is therefore
 * converted once and cached in compressed form.
 */
export const yamlResponse = async (
  request: IncomingMessage,
  bodies: BodyCache,
  { documentDigest }: CollectionHead,
  readYaml: () => Promise<{ readonly digest: string; readonly yaml: PackedText }>,
): Promise<ReadyResponse> => {
  const coding = codingFor(request);
  const etag = documentTag(documentDigest, 'yaml', coding);
  const headersOf = (tag: string) => ({ ...cachingHeaders(tag, coding), 'Content-Type': 'application/yaml' });
  const same = unchanged(request, etag);
  if (same) return same;
  const cached = bodies.get(documentTag(documentDigest, 'yaml', 'gzip'));
  const { digest, gzip } = cached
    ? { digest: documentDigest, gzip: cached.bytes }
    : await convertToYaml(bodies, readYaml);
  const body = coding === 'gzip' ? gzip : await plainOf(gzip);
  return ready(body, headersOf(documentTag(digest, 'yaml', coding)));
};

const convertToYaml = async (
  bodies: BodyCache,
  readYaml: () => Promise<{ readonly digest: string; readonly yaml: PackedText }>,
): Promise<{ readonly digest: string; readonly gzip: Uint8Array }> => {
  const { digest, yaml } = await readYaml();
  const gzip = gzipAround(nothing, yaml, nothing);
  const tag = documentTag(digest, 'yaml', 'gzip');
  bodies.set(tag, { etag: tag, bytes: gzip });
  return { digest, gzip };
};

const nothing = new Uint8Array();

/** Returns a document's entity tag. 128 bits of the digest distinguish any two documents. */
const documentTag = (digest: string, format: 'json' | 'yaml', coding: Coding): string =>
  `"${formatVersion}.${digest.slice(0, 32)}.${format}.${coding}"`;

/** Creates the response for a new collection, with the warnings about its document. */
export const createdResponse = async (
  request: IncomingMessage,
  collection: CollectionHead,
  document: PackedText,
  warnings: object | null,
): Promise<ReadyResponse> => {
  const coding = codingFor(request);
  const rest = ['created_by', 'created_at', 'updated_at'] as const;
  const body = await spliced(collection, document, coding, rest, warnings ? { warnings } : {});
  return ready(body, { Vary: 'Accept-Encoding', ...(coding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}) });
};

type TailField = 'created_by' | 'created_at' | 'updated_at';

const tailFields = {
  created_by: ({ createdBy }) => createdBy,
  created_at: ({ createdAt }) => toIso(createdAt),
  updated_at: ({ updatedAt }) => toIso(updatedAt),
} as const satisfies Record<TailField, (collection: CollectionHead) => string>;

const spliced = (
  collection: CollectionHead,
  document: PackedText,
  coding: Coding,
  fields: readonly TailField[],
  extra: object = {},
): Promise<ReadyResponse['body']> | Uint8Array => {
  const { id, name, description } = collection;
  const rest = { ...Object.fromEntries(fields.map((field) => [field, tailFields[field](collection)])), ...extra };
  const head = Buffer.from(`${JSON.stringify({ id, name, description }).slice(0, -1)},"openapi_spec":`);
  const tail = Buffer.from(`,${JSON.stringify(rest).slice(1)}`);
  return coding === 'gzip' ? gzipAround(head, document, tail) : plainAround(head, document, tail);
};

/**
 * Creates the response with the complete list that the caller may see. Its body is created once per `version` (the
 * domain's `listVersion`) and coding.
 */
export const wholeListResponse = async (
  request: IncomingMessage,
  bodies: BodyCache,
  version: string,
  readList: () => Promise<readonly ListedCollection[]>,
): Promise<ReadyResponse> => {
  const coding = codingFor(request);
  const name = `list/${formatVersion}.${coding}/${version}`;
  const cached = bodies.get(name);
  if (cached) return taggedResponse(request, coding, cached);
  const bytes = encodedList(await readList(), coding, noExtras);
  const body = { etag: digestTag(bytes), bytes };
  bodies.set(name, body);
  return taggedResponse(request, coding, body);
};

/** Creates the response with a page of the list, or with the complete list and additional fields. */
export const listPageResponse = (
  request: IncomingMessage,
  page: readonly ListedCollection[],
  extras: Extras,
): ReadyResponse => {
  const coding = codingFor(request);
  const bytes = encodedList(page, coding, extras);
  return taggedResponse(request, coding, { etag: digestTag(bytes), bytes });
};

const encodedList = (list: readonly ListedCollection[], coding: Coding, extras: Extras): Uint8Array =>
  encodedJson(
    list.map((collection) => listedView(collection, extras)),
    coding,
  );

const listedView = ({ id, name, description, createdAt, updatedAt }: ListedCollection, extras: Extras) => ({
  id,
  name,
  description,
  created_at: toIso(createdAt),
  updated_at: toIso(updatedAt),
  ...extrasView(extras, id),
});

/** Returns the entity tag of metadata without a credential. Metadata with a credential must not be cached at all. */
export const metadataEtag = ({ revision, updatedAt }: CollectionHead, hasHints: boolean): string =>
  `"${formatVersion}.${revision}.${updatedAt.toString(36)}.metadata${hasHints ? '.hints' : ''}"`;

export const summaryEtag = ({ revision, updatedAt }: CollectionHead): string =>
  `"${formatVersion}.${revision}.${updatedAt.toString(36)}.summary"`;
