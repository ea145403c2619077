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
import { toReadyResponse, type ReadyResponse } from '../responses/route-response.ts';
import { matchesIfMatch } from '../responses/negotiation.ts';
import { concatGzip, concatUncompressed, uncompressedOf } from '../responses/packed-document.ts';
import {
  type BodyCache,
  createCachingHeaders,
  type Coding,
  codingFor,
  entityTagOf,
  encodeJson,
  formatVersion,
  createTaggedResponse,
  revalidate,
} from '../responses/tagged-response.ts';
import { toLifecycleView } from './lifecycle-views.ts';
import { toIsoOrNull } from './wire.ts';

/**
 * Creates the response for one collection, with its document spliced in as stored. The document is not read if the
 * caller or this process already has the body: an entity tag never identifies two bodies of the same collection.
 */
export const createCollectionResponse = async (
  request: IncomingMessage,
  bodies: BodyCache,
  collection: CollectionHead,
  readDocument: () => Promise<CollectionWithDocument>,
): Promise<ReadyResponse> => {
  const coding = codingFor(request);
  const etag = collectionEtagOf(collection, coding);
  const notModified = revalidate(request, etag);
  if (notModified) return notModified;
  const cachedBody = bodies.get(collection.id + etag);
  if (cachedBody) return toReadyResponse(cachedBody.bytes, createCachingHeaders(etag, coding));
  const collectionWithDocument = await readDocument();
  const body = {
    etag: collectionEtagOf(collectionWithDocument.collection, coding),
    bytes: await spliceDocument(collectionWithDocument.collection, collectionWithDocument.document, coding, [
      'created_by',
      'created_at',
    ]),
  };
  const { bytes } = body;
  if (bytes instanceof Uint8Array)
    bodies.set(collectionWithDocument.collection.id + body.etag, { etag: body.etag, bytes });
  return toReadyResponse(bytes, createCachingHeaders(body.etag, coding));
};

/** The additional fields of collections that a caller can request; null for fields that were not requested. */
export interface Extras {
  /** The last use of each collection. */
  readonly uses: ReadonlyMap<CollectionId, Instant> | null;
  readonly discoverable: ReadonlySet<CollectionId> | null;
  readonly lifecycle: boolean;
  readonly tags: boolean;
}

const noExtras: Extras = { uses: null, discoverable: null, lifecycle: false, tags: false };

const toExtrasView = (
  { uses, discoverable, ...included }: Extras,
  { id, lifecycle, tags }: Pick<CollectionHead, 'id' | 'lifecycle' | 'tags'>,
) => ({
  ...(uses ? { last_used_at: toIsoOrNull(uses.get(id) ?? null) } : {}),
  ...(discoverable ? { discoverable: discoverable.has(id) } : {}),
  ...(included.lifecycle ? { lifecycle: toLifecycleView(lifecycle) } : {}),
  ...(included.tags ? { tags } : {}),
});

/**
 * Creates the response for one collection with fields that its entity tag does not cover, so the response must not be
 * cached.
 */
export const createCollectionWithExtrasResponse = async (
  request: IncomingMessage,
  { collection, document }: CollectionWithDocument,
  extras: Extras,
): Promise<ReadyResponse> => {
  const coding = codingFor(request);
  const extraFields = toExtrasView(extras, collection);
  const body = await spliceDocument(collection, document, coding, ['created_by', 'created_at'], extraFields);
  return toReadyResponse(body, {
    Vary: 'Accept-Encoding',
    ...(coding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}),
  });
};

const collectionEtagOf = ({ revision, updatedAt }: CollectionHead, coding: Coding): string =>
  `"${formatVersion}.${revision}.${updatedAt.toString(36)}.${coding}"`;

/**
 * Returns the condition of `If-Match` on the current collection; undefined if the header is absent. Accepts the tag of
 * any response that identifies the collection's state: the collection in any coding, its metadata, or its summary. A
 * document's tag covers less than the collection, and a list's tag covers more.
 */
export const ifMatchConditionOf = ({
  headers,
}: IncomingMessage): ((current: CollectionHead) => boolean) | undefined => {
  const ifMatch = headers['if-match'];
  return ifMatch === undefined ? undefined : (current) => matchesIfMatch(ifMatch, stateTagsOf(current));
};

const stateTagsOf = (collection: CollectionHead): readonly string[] => [
  collectionEtagOf(collection, 'identity'),
  collectionEtagOf(collection, 'gzip'),
  metadataEtagOf(collection, false),
  metadataEtagOf(collection, true),
  summaryEtagOf(collection),
];

/** Creates the response for a text as stored: a collection's document, or the one that it was converted from. */
export const createDocumentResponse = async (
  request: IncomingMessage,
  currentDigest: string,
  readDocument: () => Promise<{ readonly digest: string; readonly document: PackedText }>,
): Promise<ReadyResponse> => {
  const coding = codingFor(request);
  const notModified = revalidate(request, createDocumentTag(currentDigest, 'json', coding));
  if (notModified) return notModified;
  const { digest, document } = await readDocument();
  const concat = coding === 'gzip' ? concatGzip : concatUncompressed;
  const bytes = await concat(noBytes, document, noBytes);
  return toReadyResponse(bytes, createCachingHeaders(createDocumentTag(digest, 'json', coding), coding));
};

/**
 * Creates the response for a collection's document as YAML, which is slow to produce. Each document is therefore
 * converted once and cached in compressed form.
 */
export const createYamlResponse = async (
  request: IncomingMessage,
  bodies: BodyCache,
  { documentDigest }: CollectionHead,
  readYaml: () => Promise<{ readonly digest: string; readonly yaml: PackedText }>,
): Promise<ReadyResponse> => {
  const coding = codingFor(request);
  const etag = createDocumentTag(documentDigest, 'yaml', coding);
  const headersOf = (tag: string) => ({ ...createCachingHeaders(tag, coding), 'Content-Type': 'application/yaml' });
  const notModified = revalidate(request, etag);
  if (notModified) return notModified;
  const cachedBody = bodies.get(createDocumentTag(documentDigest, 'yaml', 'gzip'));
  const { digest, gzip } = cachedBody
    ? { digest: documentDigest, gzip: cachedBody.bytes }
    : await convertToYaml(bodies, readYaml);
  const body = coding === 'gzip' ? gzip : await uncompressedOf(gzip);
  return toReadyResponse(body, headersOf(createDocumentTag(digest, 'yaml', coding)));
};

const convertToYaml = async (
  bodies: BodyCache,
  readYaml: () => Promise<{ readonly digest: string; readonly yaml: PackedText }>,
): Promise<{ readonly digest: string; readonly gzip: Uint8Array }> => {
  const { digest, yaml } = await readYaml();
  const gzip = concatGzip(noBytes, yaml, noBytes);
  const tag = createDocumentTag(digest, 'yaml', 'gzip');
  bodies.set(tag, { etag: tag, bytes: gzip });
  return { digest, gzip };
};

const noBytes = new Uint8Array();

/** Returns a document's entity tag. 128 bits of the digest distinguish any two documents. */
const createDocumentTag = (digest: string, format: 'json' | 'yaml', coding: Coding): string =>
  `"${formatVersion}.${digest.slice(0, 32)}.${format}.${coding}"`;

/** Creates the response for a new collection, with the warnings about its document. */
export const createNewCollectionResponse = async (
  request: IncomingMessage,
  collection: CollectionHead,
  document: PackedText,
  warnings: object | null,
): Promise<ReadyResponse> => {
  const coding = codingFor(request);
  const lastFields = ['created_by', 'created_at', 'updated_at'] as const;
  const body = await spliceDocument(collection, document, coding, lastFields, warnings ? { warnings } : {});
  return toReadyResponse(body, {
    Vary: 'Accept-Encoding',
    ...(coding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}),
  });
};

type TailField = 'created_by' | 'created_at' | 'updated_at';

const tailFields = {
  created_by: ({ createdBy }) => createdBy,
  created_at: ({ createdAt }) => toIso(createdAt),
  updated_at: ({ updatedAt }) => toIso(updatedAt),
} as const satisfies Record<TailField, (collection: CollectionHead) => string>;

const spliceDocument = (
  collection: CollectionHead,
  document: PackedText,
  coding: Coding,
  fields: readonly TailField[],
  extraFields: object = {},
): Promise<ReadyResponse['body']> | Uint8Array => {
  const { id, name, description } = collection;
  const tailValues = {
    ...Object.fromEntries(fields.map((field) => [field, tailFields[field](collection)])),
    ...extraFields,
  };
  const head = Buffer.from(`${JSON.stringify({ id, name, description }).slice(0, -1)},"openapi_spec":`);
  const tail = Buffer.from(`,${JSON.stringify(tailValues).slice(1)}`);
  return coding === 'gzip' ? concatGzip(head, document, tail) : concatUncompressed(head, document, tail);
};

/**
 * Creates the response with the complete list that the caller may see. Its body is created once per `version` (the
 * domain's `listVersionOf`) and coding.
 */
export const createCompleteListResponse = async (
  request: IncomingMessage,
  bodies: BodyCache,
  version: string,
  readList: () => Promise<readonly ListedCollection[]>,
): Promise<ReadyResponse> => {
  const coding = codingFor(request);
  const name = `list/${formatVersion}.${coding}/${version}`;
  const cachedBody = bodies.get(name);
  if (cachedBody) return createTaggedResponse(request, coding, cachedBody);
  const bytes = encodeList(await readList(), coding, noExtras);
  const body = { etag: entityTagOf(bytes), bytes };
  bodies.set(name, body);
  return createTaggedResponse(request, coding, body);
};

/** Creates the response with a page of the list, or with the complete list and additional fields. */
export const createListPageResponse = (
  request: IncomingMessage,
  page: readonly ListedCollection[],
  extras: Extras,
): ReadyResponse => {
  const coding = codingFor(request);
  const bytes = encodeList(page, coding, extras);
  return createTaggedResponse(request, coding, { etag: entityTagOf(bytes), bytes });
};

const encodeList = (list: readonly ListedCollection[], coding: Coding, extras: Extras): Uint8Array =>
  encodeJson(
    list.map((collection) => toListedView(collection, extras)),
    coding,
  );

const toListedView = (collection: ListedCollection, extras: Extras) => ({
  id: collection.id,
  name: collection.name,
  description: collection.description,
  created_at: toIso(collection.createdAt),
  updated_at: toIso(collection.updatedAt),
  ...toExtrasView(extras, collection),
});

/** Returns the entity tag of metadata without a credential. Metadata with a credential must not be cached at all. */
export const metadataEtagOf = (
  { revision, updatedAt }: CollectionHead,
  hasHints: boolean,
  isWithheld = false,
): string => {
  const variant = `metadata${hasHints ? '.hints' : ''}${isWithheld ? '.withheld' : ''}`;
  return `"${formatVersion}.${revision}.${updatedAt.toString(36)}.${variant}"`;
};

export const summaryEtagOf = ({ revision, updatedAt }: CollectionHead): string =>
  `"${formatVersion}.${revision}.${updatedAt.toString(36)}.summary"`;
