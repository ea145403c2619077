import assert from 'node:assert/strict';
import { DocumentFileError, isPorticoError, type DocumentReader, type ExtraVersion } from '@portico/domain';
import type { Contract } from './contract.ts';
import { createManualDeadline } from './deadlines.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const pets = '{"openapi":"3.0.0","info":{"title":"Pets","version":"1"},"paths":{}}';
const openApi32 = '{"openapi":"3.2.0","info":{"title":"Pets","version":"1"},"paths":{}}';
const swagger =
  '{"swagger":"2.0","info":{"title":"Pets","version":"1"},"host":"pets.example","schemes":["https"],"paths":{},"x":1.10}';

const readWith = async (reader: DocumentReader, text: string, extraVersions?: readonly ExtraVersion[]) => {
  const { document } = await reader.readMember(bytesOf(`{"spec":${text}}`), 'spec', null, extraVersions);
  assert.ok(document, 'the body contains a document');
  return document;
};

const assertRejected = (attempt: Promise<unknown>, reason: RegExp): Promise<void> =>
  assert.rejects(attempt, (error) => isPorticoError(error, 'invalid_body') && reason.test(error.message));

const assertFileError = (
  attempt: Promise<unknown>,
  expected: Pick<DocumentFileError, 'isParsed' | 'isDocument'>,
): Promise<void> =>
  assert.rejects(attempt, (error) => {
    assert.ok(error instanceof DocumentFileError && isPorticoError(error, 'invalid_body'), `threw ${String(error)}`);
    assert.deepEqual({ isParsed: error.isParsed, isDocument: error.isDocument }, expected);
    return true;
  });

/** The part of the contract of `DocumentReader` that is about files, origins, comparisons, and versions that only imports accept. */
export const documentVersionsContract = {
  'Swagger 2.0 is converted if it is an extra version': async (reader) => {
    const { original, baseUrl, digest } = await readWith(reader, swagger, ['2.0']);
    assert.equal(baseUrl, 'https://pets.example');
    assert.equal(original?.version, '2.0');
    assert.equal(original?.packed?.bytes, swagger.length);
    assert.notEqual(original?.digest, digest);
    await assertRejected(readWith(reader, swagger), /spec\.swagger: Swagger "2\.0"/);
    await assertRejected(readWith(reader, swagger, ['3.2']), /spec\.swagger: Swagger "2\.0"/);
  },
  'OpenAPI 3.2 is read as 3.1, with a notice, if it is an extra version': async (reader) => {
    const { original, digest, notices, packed } = await readWith(reader, openApi32, ['3.2']);
    assert.deepEqual(original, { version: '3.2.0', digest, packed: null });
    assert.equal(packed.bytes, openApi32.length);
    assert.equal(notices[0]?.pointer, '/openapi');
    await assertRejected(readWith(reader, openApi32), /it is "3\.2\.0"/);
    await assertRejected(readWith(reader, openApi32, ['2.0']), /it is "3\.2\.0"/);
  },
  'a file may have any extra version': async (reader) => {
    assert.equal((await reader.readFile(bytesOf(swagger))).original?.version, '2.0');
    assert.equal((await reader.readFile(bytesOf(openApi32))).original?.version, '3.2.0');
    assert.equal((await reader.readFile(bytesOf(openApi32.replace('3.2', '3.1')))).original, null);
  },
  'the error for a file distinguishes files that are not parsed and those that are no documents': async (reader) => {
    await assertFileError(reader.readFile(bytesOf('a: 1')), { isParsed: true, isDocument: false });
    await assertFileError(reader.readFile(bytesOf('openapi: 3.1')), { isParsed: true, isDocument: true });
    await assertFileError(reader.readFile(bytesOf('a: b: c')), { isParsed: false, isDocument: false });
    await assertFileError(reader.readFile(bytesOf('openapi: b: c')), { isParsed: false, isDocument: true });
    await assertFileError(reader.convertToJson(bytesOf('a: b: c')), { isParsed: false, isDocument: false });
  },
  'two stored documents can be compared': async (reader) => {
    const text = pets.replace('"paths":{}', '"paths":{"/pets":{"post":{},"get":{}}}');
    const [before, after] = [text, text.replace('"post":{}', '"put":{}')].map((item) => reader.readFile(bytesOf(item)));
    const [old, current] = [(await before)?.packed, (await after)?.packed];
    assert.ok(old && current);
    const compare = async () => {
      const { changes, counts } = await reader.compare(old, current, null);
      return [counts, changes.map(({ rule, operation }) => `${rule} ${operation?.key ?? ''}`)];
    };
    const expectedComparison = [
      { breaking: 1, warning: 0, info: 1 },
      ['api-removed-without-deprecation efiwct3k3l3jk2jq', 'endpoint-added znmyxng2wxygk45d'],
    ];
    assert.deepEqual(await compare(), expectedComparison);
    assert.deepEqual(await compare(), expectedComparison, 'the bytes are not transferred from the caller');
    assert.deepEqual((await reader.compare(old, old, null)).changes, []);
  },
  'any file can be converted to JSON, with notices about values that JSON cannot represent': async (reader) => {
    const content = bytesOf('a: [1.10, .inf]');
    for (let reads = 0; reads < 2; reads++) {
      const { json, notices } = await reader.convertToJson(content);
      assert.equal(new TextDecoder().decode(json), '{"a":[1.10,null]}');
      assert.deepEqual(
        notices.map(({ pointer }) => pointer),
        ['/a/1'],
      );
    }
  },
  'the origins of a stored document can be read, with the settings of its collection': async (reader) => {
    const { packed } = await reader.readFile(bytesOf(swagger));
    const settings = { baseUrl: null, serverVariables: {} };
    const baseUrl = 'HTTPS://Other.example:443/v2';
    assert.deepEqual(await reader.readOrigins(packed, settings, null), ['https://pets.example']);
    assert.deepEqual(await reader.readOrigins(packed, { ...settings, baseUrl }, null), ['https://other.example']);
  },
  'a stored document is read again with the same text, digest and operations, and its bytes are kept': async (
    reader,
  ) => {
    for (const openapi of ['3.0.3', '3.1.0', '3.2.0']) {
      const paths = { '/pets': { get: { responses: {} } } };
      const text = JSON.stringify({ openapi, info: { title: 'Pets', version: '1' }, paths });
      const document = await reader.readFile(new TextEncoder().encode(text));
      const copy = [...document.packed.deflated];
      const rereadDocument = await reader.readStored(document.packed, null);
      const withoutText = { ...document, packed: null };
      assert.deepEqual({ ...rereadDocument, packed: null }, withoutText);
      assert.deepEqual([...rereadDocument.packed.deflated], copy);
      assert.deepEqual([...document.packed.deflated], copy);
    }
  },
  'a stored document is not read after the deadline': async (reader) => {
    const { packed } = await reader.readFile(
      new TextEncoder().encode('{"openapi":"3.0.3","info":{"title":"Pets","version":"1"},"paths":{}}'),
    );
    const deadline = createManualDeadline();
    deadline.expire();
    await assert.rejects(reader.readStored(packed, deadline), (error) => isPorticoError(error, 'timed_out'));
    await assert.rejects(reader.compare(packed, packed, deadline), (error) => isPorticoError(error, 'timed_out'));
  },
  'the changes between two stored documents are found, and their bytes are kept': async (reader) => {
    const read = (paths: object) =>
      reader.readFile(
        new TextEncoder().encode(JSON.stringify({ openapi: '3.0.3', info: { title: 'Pets', version: '1' }, paths })),
      );
    const [before, after] = [
      await read({ '/cats': { get: { responses: {} } } }),
      await read({ '/dogs': { get: { responses: {} } } }),
    ];
    for (let time = 0; time < 2; time++) {
      const { changes, counts } = await reader.compare(before.packed, after.packed, null);
      assert.deepEqual(counts, { breaking: 1, warning: 0, info: 1 });
      assert.deepEqual(
        changes.map(({ level, operation }) => [level, operation?.path]),
        [
          ['breaking', '/cats'],
          ['info', '/dogs'],
        ],
      );
    }
  },
} satisfies Contract<DocumentReader>;
