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
import { ready, type ReadyAnswer } from '../answers/answer.ts';
import { listsEtag } from '../answers/negotiation.ts';
import { gzipAround, plainAround, plainOf } from '../answers/packed-document.ts';
import {
  type BodyCache,
  cachingHeaders,
  type Coding,
  codingFor,
  digestTag,
  encodedJson,
  formatVersion,
  taggedAnswer,
  unchanged,
} from '../answers/tagged-answer.ts';
import { isoOrNull } from './wire.ts';

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
  const { bytes } = body;
  if (bytes instanceof Uint8Array) bodies.keep(read.collection.id + body.etag, { etag: body.etag, bytes });
  return ready(bytes, cachingHeaders(body.etag, coding));
};

/** What answers show of collections on request; null for what nobody asked for. */
export interface Extras {
  /** When each was used last. */
  readonly uses: ReadonlyMap<CollectionId, Instant> | null;
  readonly discoverable: ReadonlySet<CollectionId> | null;
}

const noExtras: Extras = { uses: null, discoverable: null };

const extrasView = ({ uses, discoverable }: Extras, id: CollectionId) => ({
  ...(uses ? { last_used_at: isoOrNull(uses.get(id) ?? null) } : {}),
  ...(discoverable ? { discoverable: discoverable.has(id) } : {}),
});

/** Answers one collection with what no entity tag names: it is not to be kept. */
export const collectionWithExtrasAnswer = async (
  request: IncomingMessage,
  { collection, document }: CollectionWithDocument,
  extras: Extras,
): Promise<ReadyAnswer> => {
  const coding = codingFor(request);
  const extra = extrasView(extras, collection.id);
  const body = await spliced(collection, document, coding, ['created_by', 'created_at'], extra);
  return ready(body, { Vary: 'Accept-Encoding', ...(coding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {}) });
};

const collectionEtag = ({ revision, updatedAt }: CollectionHead, coding: Coding): string =>
  `"${formatVersion}.${revision}.${updatedAt.toString(36)}.${coding}"`;

/**
 * What `If-Match` asks of the current collection; undefined without it. The tag of any answer that names its state will
 * do: whole in any coding, metadata, summary. A tag of the document or of a list says less or more than this collection.
 */
export const expectedState = ({ headers }: IncomingMessage): ((current: CollectionHead) => boolean) | undefined => {
  const ifMatch = headers['if-match'];
  return ifMatch === undefined ? undefined : (current) => listsEtag(ifMatch, stateTags(current));
};

const stateTags = (collection: CollectionHead): readonly string[] => [
  collectionEtag(collection, 'identity'),
  collectionEtag(collection, 'gzip'),
  metadataEtag(collection, false),
  metadataEtag(collection, true),
  summaryEtag(collection),
];

/** Answers the document of a collection alone, as it is stored. */
export const documentAnswer = async (
  request: IncomingMessage,
  collection: CollectionHead,
  readDocument: () => Promise<CollectionWithDocument>,
): Promise<ReadyAnswer> => {
  const coding = codingFor(request);
  const same = unchanged(request, documentTag(collection.documentDigest, 'json', coding));
  if (same) return same;
  const { collection: current, document } = await readDocument();
  const around = coding === 'gzip' ? gzipAround : plainAround;
  const bytes = await around(nothing, document, nothing);
  return ready(bytes, cachingHeaders(documentTag(current.documentDigest, 'json', coding), coding));
};

/** The same as YAML, which takes longer to make: each document once. It is kept compressed. */
export const yamlAnswer = async (
  request: IncomingMessage,
  bodies: BodyCache,
  { documentDigest }: CollectionHead,
  readYaml: () => Promise<{ readonly digest: string; readonly yaml: PackedText }>,
): Promise<ReadyAnswer> => {
  const coding = codingFor(request);
  const etag = documentTag(documentDigest, 'yaml', coding);
  const headersOf = (tag: string) => ({ ...cachingHeaders(tag, coding), 'Content-Type': 'application/yaml' });
  const same = unchanged(request, etag);
  if (same) return same;
  const kept = bodies.get(documentTag(documentDigest, 'yaml', 'gzip'));
  const { digest, gzip } = kept ? { digest: documentDigest, gzip: kept.bytes } : await packedYaml(bodies, readYaml);
  const body = coding === 'gzip' ? gzip : await plainOf(gzip);
  return ready(body, headersOf(documentTag(digest, 'yaml', coding)));
};

const packedYaml = async (
  bodies: BodyCache,
  readYaml: () => Promise<{ readonly digest: string; readonly yaml: PackedText }>,
): Promise<{ readonly digest: string; readonly gzip: Uint8Array }> => {
  const { digest, yaml } = await readYaml();
  const gzip = gzipAround(nothing, yaml, nothing);
  const tag = documentTag(digest, 'yaml', 'gzip');
  bodies.keep(tag, { etag: tag, bytes: gzip });
  return { digest, gzip };
};

const nothing = new Uint8Array();

/** 128 bits of the digest tell any two documents apart. */
const documentTag = (digest: string, format: 'json' | 'yaml', coding: Coding): string =>
  `"${formatVersion}.${digest.slice(0, 32)}.${format}.${coding}"`;

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
): Promise<ReadyAnswer['body']> | Uint8Array => {
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
  const kept = bodies.get(name);
  if (kept) return taggedAnswer(request, coding, kept);
  const bytes = encodedList(await readList(), coding, noExtras);
  const body = { etag: digestTag(bytes), bytes };
  bodies.keep(name, body);
  return taggedAnswer(request, coding, body);
};

/** Answers a page of the list, or the whole list with more than it always shows. */
export const listPageAnswer = (
  request: IncomingMessage,
  page: readonly ListedCollection[],
  extras: Extras,
): ReadyAnswer => {
  const coding = codingFor(request);
  const bytes = encodedList(page, coding, extras);
  return taggedAnswer(request, coding, { etag: digestTag(bytes), bytes });
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

/** The entity tag of metadata without a credential; metadata with one must not be cached at all. */
export const metadataEtag = ({ revision, updatedAt }: CollectionHead, hasHints: boolean): string =>
  `"${formatVersion}.${revision}.${updatedAt.toString(36)}.metadata${hasHints ? '.hints' : ''}"`;

export const summaryEtag = ({ revision, updatedAt }: CollectionHead): string =>
  `"${formatVersion}.${revision}.${updatedAt.toString(36)}.summary"`;
