import type { IncomingMessage } from 'node:http';
import { constants, crc32, deflateRawSync, gunzipSync } from 'node:zlib';
import type { CollectionHead, CollectionId, CollectionWithDocument, ProfileId } from '@portico/domain';
import { expect, test } from 'vitest';
import type { ReadyResponse } from '../responses/route-response.ts';
import { createBodyCache } from '../responses/tagged-response.ts';
import { collectionResponse } from './collection-responses.ts';

const first: CollectionHead = {
  id: 'the first' as CollectionId,
  name: 'Weather',
  description: '',
  createdBy: 'an admin' as ProfileId,
  createdAt: 1,
  updatedAt: 1,
  revision: 1,
  documentDigest: '',
};
const changed: CollectionHead = { ...first, revision: 2, updatedAt: 2 };

const withDocument = (collection: CollectionHead, document: object): CollectionWithDocument => {
  const text = Buffer.from(JSON.stringify(document));
  const deflated = deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH });
  return { collection, document: { deflated, crc32: crc32(text), bytes: text.length } };
};

const requestWith = (acceptEncoding: string) => ({ headers: { 'accept-encoding': acceptEncoding } }) as IncomingMessage;

const bytesIn = ({ body }: ReadyResponse): Buffer => {
  if (!(body instanceof Uint8Array)) throw new Error('The body is not complete');
  return Buffer.from(body);
};

const documentIn = (answer: ReadyResponse): unknown => {
  const bytes = bytesIn(answer);
  const text = answer.headers['Content-Encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  return (JSON.parse(text.toString()) as { openapi_spec: unknown }).openapi_spec;
};

const mustNotRead = () => Promise.reject(new Error('The document was read'));

test('a cached body is sent in the same coding without reading its document', async () => {
  const bodies = createBodyCache({ bytesMax: 1_000_000 });
  for (const coding of ['gzip', 'identity']) {
    const read = async () => withDocument(first, { paths: {} });
    const sent = await collectionResponse(requestWith(coding), bodies, first, read);
    const again = await collectionResponse(requestWith(coding), bodies, first, mustNotRead);
    expect(again.headers).toEqual(sent.headers);
    expect(bytesIn(again)).toEqual(bytesIn(sent));
    expect(documentIn(again)).toEqual({ paths: {} });
  }
});

test('a cached body is not sent after a change, or for another collection', async () => {
  const bodies = createBodyCache({ bytesMax: 1_000_000 });
  await collectionResponse(requestWith('gzip'), bodies, first, async () => withDocument(first, { of: 'the first' }));
  for (const other of [changed, { ...first, id: 'the second' as CollectionId }]) {
    const read = async () => withDocument(other, { of: 'the other' });
    expect(documentIn(await collectionResponse(requestWith('gzip'), bodies, other, read))).toEqual({ of: 'the other' });
  }
});

test('a document that changes while it is read is cached for the changed collection', async () => {
  const bodies = createBodyCache({ bytesMax: 1_000_000 });
  const readLate = async () => withDocument(changed, { of: 'after' });
  const sent = await collectionResponse(requestWith('gzip'), bodies, first, readLate);
  expect(documentIn(await collectionResponse(requestWith('gzip'), bodies, changed, mustNotRead))).toEqual({
    of: 'after',
  });
  expect((await collectionResponse(requestWith('gzip'), bodies, changed, mustNotRead)).headers).toEqual(sent.headers);
  await expect(collectionResponse(requestWith('gzip'), bodies, first, mustNotRead)).rejects.toThrow('was read');
});
