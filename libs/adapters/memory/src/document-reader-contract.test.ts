import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { documentReaderContract, type Sabotages } from '@portico/contracts';
import { isPorticoError, PorticoError, type DocumentReader, type PackedText, type ReadDocument } from '@portico/domain';
import { describe, expect, test } from 'vitest';
import { createMemoryDocumentReader } from './memory-document-reader.ts';

type Break = (reader: DocumentReader) => DocumentReader;
type BodyRead = Awaited<ReturnType<DocumentReader['readBody']>>;

const altering =
  (alter: (read: ReadDocument) => ReadDocument): Break =>
  (reader) => ({
    async readBody(body) {
      const { fields, document } = await reader.readBody(body, null);
      return { fields, document: document && alter(document) };
    },
    readFile: async (content, format) => alter(await reader.readFile(content, format)),
  });

const alteringBody =
  (alter: (read: BodyRead) => BodyRead): Break =>
  (reader) => ({ ...reader, readBody: async (body) => alter(await reader.readBody(body, null)) });

/** Reads another text than the one that was sent. */
const rewriting =
  (rewrite: (text: string) => string): Break =>
  (reader) => ({
    readBody(body) {
      const text = Buffer.from(body).toString('latin1');
      structuredClone(body, {
        transfer: body.byteLength === body.buffer.byteLength ? [body.buffer as ArrayBuffer] : [],
      });
      return reader.readBody(Buffer.from(rewrite(text), 'latin1'), null);
    },
    readFile: (content, format) =>
      reader.readFile(Buffer.from(rewrite(Buffer.from(content).toString('latin1')), 'latin1'), format),
  });

const rewording =
  (from: RegExp | string, to: string): Break =>
  (reader) => {
    const reworded = (error: unknown): never => {
      if (!isPorticoError(error)) throw error;
      const because = error.message.replace(/^Invalid request body: /, '').replace(from, to);
      throw new PorticoError(error.code, { because });
    };
    return {
      readBody: (body) => reader.readBody(body, null).catch(reworded),
      readFile: (content, format) => reader.readFile(content, format).catch(reworded),
    };
  };

const repacked = (change: (text: string) => string): Break =>
  altering((read) => ({ ...read, packed: { ...read.packed, deflated: changed(read.packed, change) } }));

const changed = ({ deflated }: PackedText, change: (text: string) => string): Uint8Array =>
  deflateRawSync(change(inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString()), {
    finishFlush: constants.Z_SYNC_FLUSH,
  });

const closed: Break = altering((read) => ({
  ...read,
  packed: { ...read.packed, deflated: Buffer.concat([read.packed.deflated, Uint8Array.of(1, 0, 0, 0xff, 0xff)]) },
}));

const warned = (warnings: ReadDocument['warnings']): Break => altering((read) => ({ ...read, warnings }));
const oneWarning = warned({ total: 1, first: [{ pointer: '', message: 'a reference that cannot be resolved' }] });
const withoutMark = (text: string) => text.replace(/^\u00ef\u00bb\u00bf/, '');
let lastRead: BodyRead | undefined;

const sabotages: Sabotages<typeof documentReaderContract, DocumentReader> = {
  'a body is told as its document and its other members': alteringBody((read) => ({ ...read, fields: {} })),
  'a body in which the document is absent, null or a blank text has none': alteringBody(({ fields, document }) => ({
    fields: document ? fields : { ...fields, openapi_spec: null },
    document,
  })),
  'the bytes of a body are moved away from the caller': (reader) => ({
    ...reader,
    readBody: (body) => reader.readBody(body.slice(), null),
  }),
  'a body that is one view of a larger buffer leaves the rest of it in place': (reader) => ({
    ...reader,
    readBody(body) {
      const text = body.slice();
      structuredClone(body, { transfer: [body.buffer as ArrayBuffer] });
      return reader.readBody(text, null);
    },
  }),
  'bodies that are sent at once are each told as what they are': alteringBody((read) => {
    const earlier = lastRead ?? read;
    lastRead = read;
    return earlier;
  }),
  'a body that expires before or while it is read raises timed_out, and those after it are read': (reader) => ({
    ...reader,
    readBody: (body) => reader.readBody(body, null),
  }),
  'the text of the document is kept as it was sent': repacked((text) => JSON.stringify(JSON.parse(text))),
  'the packed text names the length in UTF-8 and the CRC-32 of the text': altering((read) => ({
    ...read,
    packed: { ...read.packed, crc32: read.packed.crc32 | 0 },
  })),
  'more blocks can follow the packed text': closed,
  'the digest is the SHA-256 of the text in hexadecimal': altering((read) => ({
    ...read,
    digest: read.digest.toUpperCase(),
  })),
  'of doubled members the last counts': rewriting((text) => text.replace(/,"openapi_spec":\{.*?\},"a"/, ',"a"')),
  'a member whose name is written with escapes is that member': rewriting((text) => text.replaceAll('\\u005f', '-')),
  'a byte order mark before the body is passed over': rewriting((text) => text.replace(/^\u00ef\u00bb\u00bf/, '?')),
  'title and description are told as a collection may hold them': altering((read) => ({
    ...read,
    description: read.description?.slice(0, 10_000) ?? null,
  })),
  'a title of which nothing can name a collection is null': altering((read) => ({ ...read, title: read.title ?? '' })),
  'a description that is absent or no string is null': altering((read) => ({
    ...read,
    description: read.description ?? '',
  })),
  'the base address comes from the document': altering((read) => ({ ...read, baseUrl: '/' })),
  'the authentication comes from the document': altering((read) => ({
    ...read,
    authentication: { ...read.authentication, in: 'header' },
  })),
  'a base address that is too long is none, with a warning': warned({ total: 0, first: [] }),
  'an API key by a name that is too long is no authentication, with a warning': altering((read) => ({
    ...read,
    authentication: read.warnings.total > 0 ? { type: 'apiKey', name: 'k', in: 'query' } : read.authentication,
  })),
  'of names that look like numbers the first is that of the text': rewriting((text) =>
    text.replace(/("zz":\{.*?\}),("1":\{.*?\})/, '$2,$1'),
  ),
  'a document that keeps to the official schema has no warnings': oneWarning,
  'violations of the official schema are told by pointer and message': altering((read) => ({
    ...read,
    warnings: {
      ...read.warnings,
      first: read.warnings.first.map(({ pointer, message }) => ({ pointer: pointer.replaceAll('~1', '/'), message })),
    },
  })),
  'of many warnings the first 20 are told, and how many there are': altering((read) => ({
    ...read,
    warnings: { ...read.warnings, total: read.warnings.first.length },
  })),
  'references are left as they are, wherever they point': repacked((text) =>
    text.replace('"#/components/schemas/a"', '{}'),
  ),
  'a body that is not UTF-8 is refused': rewriting((text) => text.replaceAll('\xff', '?')),
  'a body that is not JSON is refused by line and column': rewording(/line \d+/, 'a line'),
  'a body that is no object is refused': rewriting((text) => (text === '[]' ? '{}' : text)),
  'a body nested deeper than 100 levels is refused': rewriting((text) =>
    text.replaceAll('['.repeat(100), '[').replaceAll(']'.repeat(100), ']'),
  ),
  'a body nested 100 levels deep is taken': rewriting((text) => text.replace('[', '[[').replace(']', ']]')),
  'a member that could pollute a prototype is refused': rewriting((text) => text.replace('"constructor"', '"other"')),
  'a member of any other name is taken, such as prototype': alteringBody(({ fields, document }) => ({
    fields: Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'prototype')),
    document,
  })),
  'a member of the authentication that could pollute a prototype is refused': rewriting((text) =>
    text.replace('__proto__', 'proto'),
  ),
  'U+0000 and lone surrogates are refused wherever they stand outside the document': rewriting((text) =>
    text.replace('"name":"\\ud800"', '"name":"?"'),
  ),
  'U+0000 and lone surrogates in the document are plain data': repacked((text) => text.replace('\\ud800', '\\ufffd')),
  'a member of the document of such a name is plain data': rewriting((text) =>
    text.replace('"x-data"', '"__proto__"').replace('"openapi_spec"', '"constructor":1,"openapi_spec"'),
  ),
  'a document that is none is refused by what is wrong and where': rewording('openapi_spec.info.title', 'title'),
  'a JSON file is one document, without what stands round it': repacked((text) => `${text}\n`),
  'a YAML file is turned into the JSON that it means': rewriting((text) =>
    withoutMark(text).replace('x-count: 3', 'x-count: "3"'),
  ),
  'the members of a YAML file stand as it has them, names that look like numbers too': repacked((text) =>
    JSON.stringify(JSON.parse(text)),
  ),
  'a file that is malformed is refused by line': rewriting((text) => text.replace('paths: {}\npaths: {}', 'paths: {}')),
  'a file that is no document is refused by what is wrong and where': rewording('info', 'openapi_spec.info'),
};

const sentences = Object.keys(documentReaderContract) as (keyof typeof documentReaderContract)[];

describe('the memory reader', () => {
  test.each(sentences)('%s', async (sentence) => {
    await documentReaderContract[sentence](createMemoryDocumentReader());
  });
});

describe('a reader that breaks one promise is caught', () => {
  test.each(sentences)('%s', async (sentence) => {
    const broken = sabotages[sentence](createMemoryDocumentReader());
    await expect(documentReaderContract[sentence](broken)).rejects.toThrow();
  });
});
