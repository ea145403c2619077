import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { constants, gzipSync } from 'node:zlib';
import {
  toIso,
  type CollectionHead,
  type CollectionWithDocument,
  type ListedCollection,
  type PackedText,
} from '@portico/domain';
import { notModified, ready, type ReadyAnswer } from '../answers/answer.ts';
import type { KeptBodies } from '../answers/kept-bodies.ts';
import { acceptsGzip, namesEtag } from '../answers/negotiation.ts';
import { gzipAround, plainAround } from '../answers/packed-document.ts';

/** Part of every entity tag: to be thrown whenever the form of an answer changes. */
const formatVersion = 1;

export type Coding = 'gzip' | 'identity';

export const codingFor = ({ headers }: IncomingMessage): Coding =>
  acceptsGzip(headers['accept-encoding']) ? 'gzip' : 'identity';

/** Kept by nobody but the caller, and asked for again each time (specification, section 1, "Caching headers"). */
const cachingHeaders = (etag: string, coding: Coding) => ({
  'Cache-Control': 'private, no-cache',
  ETag: etag,
  Vary: 'Accept-Encoding',
  ...(coding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}),
});

/** The 304 of a caller that has this very body, or null. A 304 says what the 200 would, but for its coding. */
const unchanged = ({ headers }: IncomingMessage, etag: string): ReadyAnswer | null =>
  namesEtag(headers['if-none-match'], etag) ? notModified(cachingHeaders(etag, 'identity')) : null;

/**
 * The answer of one collection, its document spliced in as it is stored. The document is not read where the caller has
 * the body already, nor where this process does: an entity tag is of one body of its collection for good.
 */
export const collectionAnswer = async (
  request: IncomingMessage,
  bodies: KeptBodies,
  collection: CollectionHead,
  readDocument: () => Promise<CollectionWithDocument>,
): Promise<ReadyAnswer> => {
  const coding = codingFor(request);
  const etag = collectionEtag(collection, coding);
  const same = unchanged(request, etag);
  if (same) return same;
  const kept = bodies.get(collection.id + etag);
  if (kept) return ready(kept, cachingHeaders(etag, coding));
  const read = await readDocument();
  const readEtag = collectionEtag(read.collection, coding);
  const body = await spliced(read.collection, read.document, coding, ['created_by', 'created_at']);
  bodies.keep(read.collection.id + readEtag, body);
  return ready(body, cachingHeaders(readEtag, coding));
};

const collectionEtag = ({ revision, updatedAt }: CollectionHead, coding: Coding): string =>
  `"${formatVersion}.${revision}.${updatedAt.toString(36)}.${coding}"`;

/** The answer of a collection that was just created: whole, and with what there is to say of its document. */
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

/** The length of the digest that stands before a body which is kept: SHA-256 in base64url. */
const digestLength = 43;

/** Names the form that lists are kept in. */
export const listForm = (coding: Coding): string => `${formatVersion}.${coding}`;

/** A list as it is kept: the digest of its body, then the body. */
export const encodeList =
  (coding: Coding) =>
  (list: readonly ListedCollection[]): Uint8Array => {
    const text = Buffer.from(JSON.stringify(list.map(listedView)));
    const body = coding === 'gzip' ? gzipSync(text, { level: constants.Z_BEST_SPEED }) : text;
    return Buffer.concat([Buffer.from(createHash('sha256').update(body).digest('base64url')), body]);
  };

export const listAnswer = (
  request: IncomingMessage,
  coding: Coding,
  encoded: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): ReadyAnswer => {
  const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  const etag = `"${formatVersion}.${bytes.toString('latin1', 0, digestLength)}"`;
  const answer = unchanged(request, etag) ?? ready(bytes.subarray(digestLength), cachingHeaders(etag, coding));
  return { ...answer, headers: { ...answer.headers, ...headers } };
};

export const listedView = ({ id, name, description, createdAt, updatedAt }: ListedCollection) => ({
  id,
  name,
  description,
  created_at: toIso(createdAt),
  updated_at: toIso(updatedAt),
});

/** The answer of metadata. With a credential in it nobody may keep it; without one it can be asked for again by its tag. */
export const metadataEtag = ({ revision, updatedAt }: CollectionHead): string =>
  `"${formatVersion}.${revision}.${updatedAt.toString(36)}.metadata"`;
