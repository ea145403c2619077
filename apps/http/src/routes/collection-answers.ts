import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { constants, gzipSync } from 'node:zlib';
import {
  toIso,
  type CollectionHead,
  type CollectionId,
  type CollectionWithDocument,
  type Instant,
  type ListedCollection,
  type PackedText,
} from '@portico/domain';
import { notModified, ready, type ReadyAnswer } from '../answers/answer.ts';
import type { BodyCache, TaggedBody } from '../answers/body-cache.ts';
import { acceptsGzip, namesEtag } from '../answers/negotiation.ts';
import { gzipAround, plainAround } from '../answers/packed-document.ts';
import { isoOrNull } from './wire.ts';

/** Part of every entity tag: increase it whenever the format of an answer changes. */
const formatVersion = 1;

type Coding = 'gzip' | 'identity';

const codingFor = ({ headers }: IncomingMessage): Coding =>
  acceptsGzip(headers['accept-encoding']) ? 'gzip' : 'identity';

/** Only the caller may cache it, and revalidates it each time (specification, section 1, "Caching headers"). */
const cachingHeaders = (etag: string, coding: Coding) => ({
  'Cache-Control': 'private, no-cache',
  ETag: etag,
  Vary: 'Accept-Encoding',
  ...(coding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}),
});

/** Returns a 304 if the caller has this body, else null. Its headers are those of the 200, except `Content-Encoding`. */
const unchanged = ({ headers }: IncomingMessage, etag: string): ReadyAnswer | null =>
  namesEtag(headers['if-none-match'], etag) ? notModified(cachingHeaders(etag, 'identity')) : null;

const taggedAnswer = (request: IncomingMessage, coding: Coding, { etag, bytes }: TaggedBody): ReadyAnswer =>
  unchanged(request, etag) ?? ready(bytes, cachingHeaders(etag, coding));

/**
 * Answers one collection, with its document spliced in as it is stored. The document is not read if the caller or this
 * process has the body already: an entity tag never names another body of the same collection.
 */
export const collectionAnswer = async (
  request: IncomingMessage,
  bodies: BodyCache,
  collection: CollectionHead,
  readDocument: () => Promise<CollectionWithDocument>,
): Promise<ReadyAnswer> => {
  const coding = codingFor(request);
  const etag = collectionEtag(collection, coding);
  const same = unchanged(request, etag);
  if (same) return same;
  const kept = bodies.get(collection.id + etag);
  if (kept) return ready(kept.bytes, cachingHeaders(etag, coding));
  const read = await readDocument();
  const body = {
    etag: collectionEtag(read.collection, coding),
    bytes: await spliced(read.collection, read.document, coding, ['created_by', 'created_at']),
  };
  bodies.keep(read.collection.id + body.etag, body);
  return ready(body.bytes, cachingHeaders(body.etag, coding));
};

/** Answers one collection with the time of its last use, which no entity tag names: it is not to be kept. */
export const collectionWithUseAnswer = async (
  request: IncomingMessage,
  { collection, document }: CollectionWithDocument,
  lastUsedAt: Instant | null,
): Promise<ReadyAnswer> => {
  const coding = codingFor(request);
  const extra = { last_used_at: isoOrNull(lastUsedAt) };
  const body = await spliced(collection, document, coding, ['created_by', 'created_at'], extra);
  return ready(body, { Vary: 'Accept-Encoding', ...(coding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}) });
};

const collectionEtag = ({ revision, updatedAt }: CollectionHead, coding: Coding): string =>
  `"${formatVersion}.${revision}.${updatedAt.toString(36)}.${coding}"`;

/** Answers a collection that was just created: whole, with the warnings about its document. */
export const createdAnswer = async (
  request: IncomingMessage,
  collection: CollectionHead,
  document: PackedText,
  warnings: object | null,
): Promise<ReadyAnswer> => {
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
): Promise<Buffer> | Buffer => {
  const { id, name, description } = collection;
  const rest = { ...Object.fromEntries(fields.map((field) => [field, tailFields[field](collection)])), ...extra };
  const head = Buffer.from(`${JSON.stringify({ id, name, description }).slice(0, -1)},"openapi_spec":`);
  const tail = Buffer.from(`,${JSON.stringify(rest).slice(1)}`);
  return coding === 'gzip' ? gzipAround(head, document, tail) : plainAround(head, document, tail);
};

/** Answers the whole list that the caller may see. Built once for each `version` (the domain's `listVersion`) and coding. */
export const wholeListAnswer = async (
  request: IncomingMessage,
  bodies: BodyCache,
  version: string,
  readList: () => Promise<readonly ListedCollection[]>,
): Promise<ReadyAnswer> => {
  const coding = codingFor(request);
  const name = `list/${formatVersion}.${coding}/${version}`;
  const body = await bodies.getOrMake(name, digestTag, async () => encodedList(await readList(), coding, null));
  return taggedAnswer(request, coding, body);
};

/** The times of the last use of collections, if the answer is to show them. */
export type LastUses = ReadonlyMap<CollectionId, Instant> | null;

/** Answers a page of the list, or the whole list with the times of the last use. */
export const listPageAnswer = (
  request: IncomingMessage,
  page: readonly ListedCollection[],
  uses: LastUses,
): ReadyAnswer => {
  const coding = codingFor(request);
  const bytes = encodedList(page, coding, uses);
  return taggedAnswer(request, coding, { etag: digestTag(bytes), bytes });
};

const encodedList = (list: readonly ListedCollection[], coding: Coding, uses: LastUses): Uint8Array => {
  const text = Buffer.from(JSON.stringify(list.map((collection) => listedView(collection, uses))));
  return coding === 'gzip' ? gzipSync(text, { level: constants.Z_BEST_SPEED }) : text;
};

const digestTag = (bytes: Uint8Array): string =>
  `"${formatVersion}.${createHash('sha256').update(bytes).digest('base64url')}"`;

const listedView = ({ id, name, description, createdAt, updatedAt }: ListedCollection, uses: LastUses) => ({
  id,
  name,
  description,
  created_at: toIso(createdAt),
  updated_at: toIso(updatedAt),
  ...(uses ? { last_used_at: isoOrNull(uses.get(id) ?? null) } : {}),
});

/** The entity tag of metadata without a credential; metadata with one must not be cached at all. */
export const metadataEtag = ({ revision, updatedAt }: CollectionHead): string =>
  `"${formatVersion}.${revision}.${updatedAt.toString(36)}.metadata"`;
