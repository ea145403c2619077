import type { IncomingMessage } from 'node:http';
import { constants, crc32, deflateRawSync, gunzipSync } from 'node:zlib';
import type { CollectionHead, CollectionId, CollectionWithDocument, ProfileId } from '@portico/domain';
import { expect, test } from 'vitest';
import type { ReadyAnswer } from '../answers/answer.ts';
import { createBodyCache } from '../answers/tagged-answer.ts';
import { collectionAnswer } from './collection-answers.ts';

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

const asking = (acceptEncoding: string) => ({ headers: { 'accept-encoding': acceptEncoding } }) as IncomingMessage;

const bytesIn = ({ body }: ReadyAnswer): Buffer => {
  if (!(body instanceof Uint8Array)) throw new Error('The body is not at hand as a whole');
  return Buffer.from(body);
};

const documentIn = (answer: ReadyAnswer): unknown => {
  const bytes = bytesIn(answer);
  const text = answer.headers['Content-Encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  return (JSON.parse(text.toString()) as { openapi_spec: unknown }).openapi_spec;
};

const mustNotRead = () => Promise.reject(new Error('The document was read'));

test('a body is sent again in the same coding without reading its document', async () => {
  const bodies = createBodyCache({ bytesMax: 1_000_000 });
  for (const coding of ['gzip', 'identity']) {
    const read = async () => withDocument(first, { paths: {} });
    const sent = await collectionAnswer(asking(coding), bodies, first, read);
    const again = await collectionAnswer(asking(coding), bodies, first, mustNotRead);
    expect(again.headers).toEqual(sent.headers);
    expect(bytesIn(again)).toEqual(bytesIn(sent));
    expect(documentIn(again)).toEqual({ paths: {} });
  }
});

test('a kept body is sent neither after a change nor for another collection', async () => {
  const bodies = createBodyCache({ bytesMax: 1_000_000 });
  await collectionAnswer(asking('gzip'), bodies, first, async () => withDocument(first, { of: 'the first' }));
  for (const other of [changed, { ...first, id: 'the second' as CollectionId }]) {
    const read = async () => withDocument(other, { of: 'the other' });
    expect(documentIn(await collectionAnswer(asking('gzip'), bodies, other, read))).toEqual({ of: 'the other' });
  }
});

test('a document that changes while it is read is kept as that of the changed collection', async () => {
  const bodies = createBodyCache({ bytesMax: 1_000_000 });
  const readLate = async () => withDocument(changed, { of: 'after' });
  const sent = await collectionAnswer(asking('gzip'), bodies, first, readLate);
  expect(documentIn(await collectionAnswer(asking('gzip'), bodies, changed, mustNotRead))).toEqual({ of: 'after' });
  expect((await collectionAnswer(asking('gzip'), bodies, changed, mustNotRead)).headers).toEqual(sent.headers);
  await expect(collectionAnswer(asking('gzip'), bodies, first, mustNotRead)).rejects.toThrow('was read');
});
