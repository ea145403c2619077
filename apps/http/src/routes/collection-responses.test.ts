import type { IncomingMessage } from 'node:http';
import { constants, crc32, deflateRawSync, gunzipSync } from 'node:zlib';
import {
  activeLifecycle,
  type CollectionHead,
  type CollectionId,
  type CollectionWithDocument,
  type ProfileId,
} from '@portico/domain';
import { expect, test } from 'vitest';
import type { ReadyResponse } from '../responses/route-response.ts';
import { createBodyCache } from '../responses/tagged-response.ts';
import { createCollectionResponse } from './collection-responses.ts';

const firstHead: CollectionHead = {
  id: 'the first' as CollectionId,
  name: 'Weather',
  description: '',
  createdBy: 'an admin' as ProfileId,
  createdAt: 1,
  updatedAt: 1,
  revision: 1,
  documentDigest: '',
  original: null,
  lifecycle: activeLifecycle,
  tags: [],
};
const changedHead: CollectionHead = { ...firstHead, revision: 2, updatedAt: 2 };

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

const documentIn = (response: ReadyResponse): unknown => {
  const bytes = bytesIn(response);
  const text = response.headers['Content-Encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  return (JSON.parse(text.toString()) as { openapi_spec: unknown }).openapi_spec;
};

const failOnRead = () => Promise.reject(new Error('The document was read'));

test('a cached body is sent in the same coding without reading its document', async () => {
  const bodies = createBodyCache({ bytesMax: 1_000_000 });
  for (const coding of ['gzip', 'identity']) {
    const read = async () => withDocument(firstHead, { paths: {} });
    const response = await createCollectionResponse(requestWith(coding), bodies, firstHead, read);
    const repeatedResponse = await createCollectionResponse(requestWith(coding), bodies, firstHead, failOnRead);
    expect(repeatedResponse.headers).toEqual(response.headers);
    expect(bytesIn(repeatedResponse)).toEqual(bytesIn(response));
    expect(documentIn(repeatedResponse)).toEqual({ paths: {} });
  }
});

test('a cached body is not sent after a change, or for a different collection', async () => {
  const bodies = createBodyCache({ bytesMax: 1_000_000 });
  await createCollectionResponse(requestWith('gzip'), bodies, firstHead, async () =>
    withDocument(firstHead, { of: 'the first' }),
  );
  for (const otherHead of [changedHead, { ...firstHead, id: 'the second' as CollectionId }]) {
    const read = async () => withDocument(otherHead, { of: 'the other' });
    expect(documentIn(await createCollectionResponse(requestWith('gzip'), bodies, otherHead, read))).toEqual({
      of: 'the other',
    });
  }
});

test('a document that changes while it is read is cached for the changed collection', async () => {
  const bodies = createBodyCache({ bytesMax: 1_000_000 });
  const readLate = async () => withDocument(changedHead, { of: 'after' });
  const response = await createCollectionResponse(requestWith('gzip'), bodies, firstHead, readLate);
  expect(documentIn(await createCollectionResponse(requestWith('gzip'), bodies, changedHead, failOnRead))).toEqual({
    of: 'after',
  });
  expect((await createCollectionResponse(requestWith('gzip'), bodies, changedHead, failOnRead)).headers).toEqual(
    response.headers,
  );
  await expect(createCollectionResponse(requestWith('gzip'), bodies, firstHead, failOnRead)).rejects.toThrow(
    'was read',
  );
});
