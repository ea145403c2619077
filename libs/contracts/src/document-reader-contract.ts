import assert from 'node:assert/strict';
import {
  isPorticoError,
  type DocumentReader,
  type DocumentWarning,
  type PackedText,
  type ReadDocument,
} from '@portico/domain';
import type { Contract } from './contract.ts';
import { createManualDeadline } from './deadlines.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const pets = '{"openapi":"3.0.3","info":{"title":"Pets","version":"1"},"paths":{}}';
const bodyOf = (document: string): Uint8Array => bytesOf(`{"openapi_spec":${document}}`);

/** Returns arrays nested this many levels deep. */
const createNestedArrays = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

async function readDocument(reader: DocumentReader, body: Uint8Array): Promise<ReadDocument> {
  const { document } = await reader.readMember(body, 'openapi_spec', null);
  assert.ok(document, 'the body contains a document');
  return document;
}

async function assertRejects(attempt: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(attempt, (error) => {
    assert.ok(isPorticoError(error, 'invalid_body'), `threw ${String(error)}`);
    assert.match(error.message, message);
    return true;
  });
}

const codeOf = (error: unknown): string => (isPorticoError(error) ? error.code : String(error));

/** Unpacks a document's text, after closing its stream with an empty final block (RFC 1951, section 3.2.4). */
async function unpack({ deflated }: PackedText): Promise<string> {
  const closedBlob = new Blob([Uint8Array.from(deflated), Uint8Array.of(1, 0, 0, 0xff, 0xff)]);
  return new Response(closedBlob.stream().pipeThrough(new DecompressionStream('deflate-raw'))).text();
}

async function computeSha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', Uint8Array.from(bytesOf(text)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Computes the CRC-32 bit by bit (RFC 1952, section 8). */
function computeCrc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of bytesOf(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Returns a document with this many operations that have no `responses`. Each of these operations violates the schema once. */
const createDocumentWithoutResponses = (operations: number): string => {
  const paths = Array.from({ length: operations }, (_, i) => `"/pets/${i}":{"get":{}}`).join(',');
  return `{"openapi":"3.0.3","info":{"title":"Pets","version":"1"},"paths":{${paths}}}`;
};

const splittingCases = {
  'a body is split into the document and its other members': async (reader) => {
    const { fields, document } = await reader.readMember(
      bytesOf(`{"name":"Pets","openapi_spec":${pets},"authentication":{"type":"none"},"n":[1,null]}`),
      'openapi_spec',
      null,
    );
    assert.deepEqual({ ...fields }, { name: 'Pets', authentication: { type: 'none' }, n: [1, null] });
    assert.equal(document && (await unpack(document.packed)), pets);
  },
  'a body whose document is absent, null or blank has no document': async (reader) => {
    for (const member of ['', ',"openapi_spec":null', ',"openapi_spec":""', ',"openapi_spec":" \\n"']) {
      const text = `{"name":"Pets"${member}}`;
      const { fields, document } = await reader.readMember(bytesOf(text), 'openapi_spec', null);
      assert.deepEqual({ ...fields }, { name: 'Pets' });
      assert.equal(document, null);
    }
  },
  'the bytes of a body are transferred from the caller': async (reader) => {
    const body = bodyOf(pets).slice();
    await reader.readMember(body, 'openapi_spec', null);
    assert.equal(body.byteLength, 0);
  },
  'a body that is a view of a larger buffer does not affect the rest of the buffer': async (reader) => {
    const buffer = bytesOf(`....${new TextDecoder().decode(bodyOf(pets))}....`).slice();
    await readDocument(reader, buffer.subarray(4, buffer.length - 4));
    assert.equal(buffer[0], 0x2e);
  },
  'bodies that are read at the same time are not mixed up': async (reader) => {
    const titles = Array.from({ length: 20 }, (_, i) => `Pets ${i}`);
    const documents = await Promise.all(
      titles.map((title) => readDocument(reader, bodyOf(pets.replace('Pets', title)))),
    );
    assert.deepEqual(
      documents.map((document) => document.title),
      titles,
    );
  },
  'reading a body throws timed_out if its deadline expires before or during the read, and later bodies can still be read':
    async (reader) => {
      const [expiredDeadline, expiringDeadline, openDeadline] = [
        createManualDeadline(),
        createManualDeadline(),
        createManualDeadline(),
      ];
      expiredDeadline.expire();
      const attempts = [expiredDeadline, expiringDeadline, expiringDeadline, openDeadline].map((deadline) =>
        reader.readMember(bodyOf(pets), 'openapi_spec', deadline),
      );
      expiringDeadline.expire();
      const outcomes = await Promise.allSettled(attempts);
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'read' : codeOf(outcome.reason))),
        ['timed_out', 'timed_out', 'timed_out', 'read'],
      );
      assert.equal((await readDocument(reader, bodyOf(pets))).title, 'Pets');
    },
} satisfies Contract<DocumentReader>;

const textCases = {
  'the text of the document is stored exactly as it was sent': async (reader) => {
    const document =
      '{ "paths" : {},\n\t"info":{"version":"1","title":"P\\u00e9ts – ピ"},"openapi":"3.0.3",' +
      '"x-big":12345678901234567890,"x-exact":1.10,"2":0,"1":-0E+1,"2":1,"x-text":"}\\"{,]" }';
    const result = await readDocument(
      reader,
      bytesOf(`{"a":"}{","openapi_spec" : ${document} , "z":[{"openapi_spec":1}]}`),
    );
    assert.equal(await unpack(result.packed), document);
  },
  'the packed text contains the length in UTF-8 and the CRC-32 of the text': async (reader) => {
    // There are several titles, so that at least one checksum has its highest bit set.
    for (const title of ['Pets', 'Péts', 'ピ', '🐈', 'Cats', 'Dogs']) {
      const document = pets.replace('Pets', title);
      const { packed } = await readDocument(reader, bodyOf(document));
      assert.equal(packed.bytes, bytesOf(document).length);
      assert.equal(packed.crc32, computeCrc32(document));
    }
  },
  'further blocks can follow the packed text': async (reader) => {
    const { packed } = await readDocument(reader, bodyOf(pets));
    const storedBlock = Uint8Array.of(0, 1, 0, 0xfe, 0xff, 0x7d); // A stored block with one byte, `}`.
    const deflated = Uint8Array.from([...packed.deflated, ...storedBlock]);
    assert.equal(await unpack({ ...packed, deflated }), `${pets}}`);
  },
  'the digest is the SHA-256 of the text in hexadecimal': async (reader) => {
    const spacedDocument = pets.replace('{', '{ ');
    assert.equal((await readDocument(reader, bodyOf(pets))).digest, await computeSha256(pets));
    assert.equal((await readDocument(reader, bodyOf(spacedDocument))).digest, await computeSha256(spacedDocument));
  },
  'the document is the member with the requested name': async (reader) => {
    const body = `{"spec":${pets},"openapi_spec":{"a":1}}`;
    const { fields, document } = await reader.readMember(bytesOf(body), 'spec', null);
    assert.deepEqual({ ...fields }, { openapi_spec: { a: 1 } });
    assert.equal(document?.title, 'Pets');
    await assertRejects(reader.readMember(bytesOf('{"spec":[]}'), 'spec', null), /: spec must be a JSON object$/);
  },
  'if a member occurs several times, the last one counts': async (reader) => {
    const laterDocument = pets.replace('Pets', 'Later');
    const body = `{"openapi_spec":${pets},"a":1,"openapi_spec":${laterDocument},"a":2}`;
    const { fields, document } = await reader.readMember(bytesOf(body), 'openapi_spec', null);
    assert.deepEqual({ ...fields }, { a: 2 });
    assert.equal(document?.title, 'Later');
    assert.equal(await unpack(document.packed), laterDocument);
  },
  'the name of a member may contain escape sequences': async (reader) => {
    const { fields, document } = await reader.readMember(
      bytesOf(`{"openapi\\u005fspec":${pets}}`),
      'openapi_spec',
      null,
    );
    assert.deepEqual({ ...fields }, {});
    assert.equal(document && (await unpack(document.packed)), pets);
  },
  'a byte order mark before the body is skipped': async (reader) => {
    assert.equal((await readDocument(reader, bytesOf(`\ufeff{"openapi_spec":${pets}}`))).title, 'Pets');
  },
} satisfies Contract<DocumentReader>;

const parsingCases = {
  'title and description are normalized for a collection': async (reader) => {
    const describedDocument = pets.replace('"Pets"', '" Pets,\\nall ","description":" All *pets*\\n\\u0000, by name "');
    const result = await readDocument(reader, bodyOf(describedDocument));
    assert.equal(result.title, 'Pets, all');
    assert.equal(result.description, 'All *pets*\n, by name');
    const longDocument = await readDocument(
      reader,
      bodyOf(pets.replace('"Pets"', `"${'🐈'.repeat(201)}","description":"${'🐈'.repeat(10_001)}"`)),
    );
    assert.equal(longDocument.title, '🐈'.repeat(200));
    assert.equal(longDocument.description, '🐈'.repeat(10_000));
  },
  'a title that is not a valid collection name is null': async (reader) => {
    assert.equal((await readDocument(reader, bodyOf(pets.replace('Pets', '')))).title, null);
    assert.equal((await readDocument(reader, bodyOf(pets.replace('Pets', ' \\u0000\\n')))).title, null);
  },
  'a description that is absent or not a string is null': async (reader) => {
    assert.equal((await readDocument(reader, bodyOf(pets))).description, null);
    assert.equal(
      (await readDocument(reader, bodyOf(pets.replace('"Pets"', '"Pets","description":7')))).description,
      null,
    );
  },
  'a description is derived from the words of a document only if it has none': async (reader) => {
    const documentWithPaths = pets.replace(
      '"paths":{}',
      '"paths":{"/v1/cats/{id}":{"get":{"summary":"Feeds a cat","responses":{}}}}',
    );
    assert.notEqual(documentWithPaths, pets);
    assert.equal((await readDocument(reader, bodyOf(documentWithPaths))).derivedDescription, 'Cats. Feeds a cat.');
    assert.equal((await readDocument(reader, bodyOf(pets))).derivedDescription, '');
    for (const [description, expected] of [
      ['All pets', ''],
      ['', 'Cats. Feeds a cat.'],
    ]) {
      const describedDocument = documentWithPaths.replace('"Pets"', `"Pets","description":"${description}"`);
      assert.equal((await readDocument(reader, bodyOf(describedDocument))).derivedDescription, expected);
    }
  },
  'the base URL is read from the document': async (reader) => {
    const servers = '"servers":[{"url":"https://{h}.example","variables":{"h":{"default":"pets"}}}]';
    assert.equal(
      (await readDocument(reader, bodyOf(pets.replace('{', `{${servers},`)))).baseUrl,
      'https://pets.example',
    );
  },
  'the authentication is read from the document': async (reader) => {
    const schemes = '"components":{"securitySchemes":{"k":{"type":"apiKey","name":"X-Key","in":"query"}}}';
    assert.deepEqual((await readDocument(reader, bodyOf(pets.replace('{', `{${schemes},`)))).authentication, {
      type: 'apiKey',
      name: 'X-Key',
      in: 'query',
    });
  },
  'a base URL that is too long is dropped, with a warning': async (reader) => {
    const readWithServers = (servers: string) =>
      readDocument(reader, bodyOf(pets.replace('{', `{"servers":[${servers}],`)));
    const address = `https://pets.example/${'x'.repeat(2_027)}`;
    assert.equal((await readWithServers(`{"url":"${address}"}`)).baseUrl, address);
    const variables = `"variables":{"a":{"default":"${'x'.repeat(4_000)}"}}`;
    for (const server of [`{"url":"${address}x"}`, `{"url":"${'{a}'.repeat(10_000)}",${variables}}`]) {
      const { baseUrl, warnings } = await readWithServers(server);
      assert.equal(baseUrl, '/');
      assert.deepEqual(pointersOf(warnings.first).slice(0, 1), ['/servers/0/url']);
      assert.match(warnings.first[0]?.message ?? '', /2048 characters/);
      assert.ok(warnings.total >= 1);
    }
  },
  'an API key whose name is too long is dropped, with a warning': async (reader) => {
    const readWithKeyName = (name: string) => {
      const schemes = `"components":{"securitySchemes":{"k":{"type":"apiKey","name":"${name}","in":"query"}}}`;
      return readDocument(reader, bodyOf(pets.replace('{', `{${schemes},`)));
    };
    assert.equal((await readWithKeyName('k'.repeat(200))).authentication.name, 'k'.repeat(200));
    const { authentication, warnings } = await readWithKeyName('k'.repeat(201));
    assert.deepEqual(authentication, { type: 'none', name: null, in: null });
    assert.deepEqual(pointersOf(warnings.first), ['/components/securitySchemes/k/name']);
    assert.match(warnings.first[0]?.message ?? '', /200 characters/);
  },
  'if names look like numbers, the first one in the text still counts': async (reader) => {
    const schemes = '{"zz":{"type":"http","scheme":"bearer"},"1":{"type":"http","scheme":"basic"}}';
    const createDocumentWithSchemes = (extraMembers: string) =>
      pets.replace('{', `{"components":{"securitySchemes":${schemes}}${extraMembers},`);
    const readType = async (document: string) => (await readDocument(reader, bodyOf(document))).authentication.type;
    assert.equal(await readType(createDocumentWithSchemes('')), 'bearer');
    assert.equal(await readType(createDocumentWithSchemes(',"security":[{"zz":[],"1":[]}]')), 'bearer');
    assert.equal(await readType(createDocumentWithSchemes(',"security":[{"1":[],"zz":[]}]')), 'basic');
    assert.equal(
      await readType(createDocumentWithSchemes(',"security":[{"zz":[]}],"security":[{"1":[],"zz":[]}]')),
      'basic',
    );
  },
  'a document that conforms to the official schema has no warnings': async (reader) => {
    assert.deepEqual((await readDocument(reader, bodyOf(pets))).warnings, { total: 0, first: [] });
  },
  'violations of the official schema are reported by pointer and message': async (reader) => {
    const invalidDocument = '{"openapi":"3.0.3","info":{"title":"Pets"},"paths":{"/pets/{id}":{"get":{}}}}';
    const { warnings } = await readDocument(reader, bodyOf(invalidDocument));
    assert.equal(warnings.total, 2);
    assert.deepEqual(pointersOf(warnings.first), ['/info', '/paths/~1pets~1{id}/get']);
    assert.match(warnings.first[0]?.message ?? '', /version/);
    assert.match(warnings.first[1]?.message ?? '', /responses/);
  },
  'only the first 20 of many warnings are reported, with the total': async (reader) => {
    const { warnings } = await readDocument(reader, bodyOf(createDocumentWithoutResponses(50)));
    assert.equal(warnings.total, 50);
    assert.deepEqual(
      pointersOf(warnings.first),
      Array.from({ length: 20 }, (_, i) => `/paths/~1pets~1${i}/get`),
    );
  },
  'references are not changed, regardless of their targets': async (reader) => {
    const schemas = [
      '"a":{"$ref":"#/components/schemas/a"}',
      '"b":{"$ref":"#/components/schemas/gone"}',
      '"c":{"$ref":"https://portico.invalid/c.json"}',
      '"d":{"$ref":"../d.json#/d"}',
    ].join(',');
    const document = pets.replace('{', `{"components":{"schemas":{${schemas}}},`);
    const result = await readDocument(reader, bodyOf(document));
    assert.equal(await unpack(result.packed), document);
    assert.deepEqual(result.warnings, { total: 0, first: [] });
  },
} satisfies Contract<DocumentReader>;

const pointersOf = (warnings: readonly DocumentWarning[]): string[] => warnings.map((warning) => warning.pointer);

const rejectionCases = {
  'a body that is not UTF-8 is rejected': async (reader) => {
    await assertRejects(
      reader.readMember(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 'openapi_spec', null),
      /UTF-8/,
    );
  },
  'a body that is not JSON is rejected with the line and column': async (reader) => {
    await assertRejects(
      reader.readMember(bytesOf('{"name": 1,\n "openapi_spec" {}}'), 'openapi_spec', null),
      /line 2,? column 17/,
    );
    await assertRejects(reader.readMember(bytesOf(''), 'openapi_spec', null), /JSON/);
  },
  'a body that is not an object is rejected': async (reader) => {
    for (const body of ['[]', 'null', '"{}"', '7'])
      await assertRejects(reader.readMember(bytesOf(body), 'openapi_spec', null), /must be a JSON object/);
  },
  'a body nested deeper than 100 levels is rejected': async (reader) => {
    await assertRejects(
      reader.readMember(bytesOf(`{"name":${createNestedArrays(101)}}`), 'openapi_spec', null),
      /100 levels/,
    );
    await assertRejects(
      reader.readMember(bodyOf(pets.replace('{', `{"x-deep":${createNestedArrays(100)},`)), 'openapi_spec', null),
      /100 levels/,
    );
  },
  'a body nested 100 levels deep is accepted': async (reader) => {
    assert.ok(
      'a' in (await reader.readMember(bytesOf(`{"a":${createNestedArrays(100)}}`), 'openapi_spec', null)).fields,
    );
    await readDocument(reader, bodyOf(pets.replace('{', `{"x-deep":${createNestedArrays(99)},`)));
  },
  'a member that could pollute a prototype is rejected': async (reader) => {
    for (const name of ['__proto__', 'constructor', '__pr\\u006fto__']) {
      const member = JSON.parse(`"${name}"`) as string;
      await assertRejects(
        reader.readMember(bytesOf(`{"${name}":{},"openapi_spec":${pets}}`), 'openapi_spec', null),
        new RegExp(member),
      );
    }
  },
  'a member with any other name, such as prototype, is accepted': async (reader) => {
    const { fields } = await reader.readMember(bytesOf('{"prototype":{"a":1},"toString":2}'), 'openapi_spec', null);
    assert.deepEqual(Object.entries(fields), [
      ['prototype', { a: 1 }],
      ['toString', 2],
    ]);
  },
  'U+0000 and lone surrogates are rejected everywhere outside the document': async (reader) => {
    for (const member of [
      '"name":"\\u0000"',
      '"name":"\\ud800","name":"Pets"',
      '"\\u0000":1',
      '"authentication":{"a":["\\udc00"]}',
      '"authentication":{"\\ud83dx":1}',
    ]) {
      await assertRejects(
        reader.readMember(bytesOf(`{${member},"openapi_spec":${pets}}`), 'openapi_spec', null),
        /U\+0000 or lone surrogates/,
      );
    }
    const pair = '{"name":"\\ud83d\\ude00 \\\\u0000"}';
    assert.deepEqual(
      { ...(await reader.readMember(bytesOf(pair), 'openapi_spec', null)).fields },
      { name: '😀 \\u0000' },
    );
  },
  'U+0000 and lone surrogates are accepted in the document': async (reader) => {
    const document = pets.replace('"paths":{}', '"paths":{},"x-\\ud800":["\\u0000",{"":1}]');
    assert.equal(await unpack((await readDocument(reader, bodyOf(document))).packed), document);
  },
  'a member that could pollute a prototype is accepted in the document': async (reader) => {
    const document = pets.replace('"paths":{}', '"paths":{},"x-data":{"__proto__":{"a":1},"constructor":2}');
    assert.equal(await unpack((await readDocument(reader, bodyOf(document))).packed), document);
    assert.equal(({} as { a?: unknown }).a, undefined);
  },
  'a value that is not an OpenAPI document is rejected with the reason and the location': async (reader) => {
    const invalidDocuments: readonly (readonly [string, RegExp])[] = [
      ['[]', /: openapi_spec must be a JSON object$/],
      ['"openapi: 3.0.0"', /: openapi_spec must be a JSON object$/],
      ['{"swagger":"2.0","info":{"title":"Pets"},"paths":{}}', /openapi_spec\.swagger: Swagger "2\.0"/],
      [
        '{"openapi":"3.2.0","info":{"title":"Pets"},"paths":{}}',
        /openapi_spec\.openapi .*3\.0\.x or 3\.1\.x.*"3\.2\.0"/,
      ],
      ['{"openapi":"3.0.0","paths":{}}', /: openapi_spec\.info must be an object$/],
      ['{"openapi":"3.0.0","info":{"title":7},"paths":{}}', /: openapi_spec\.info\.title must be a string$/],
      ['{"openapi":"3.0.0","info":{"title":""}}', /: openapi_spec\.paths must be an object$/],
    ];
    for (const [document, message] of invalidDocuments)
      await assertRejects(reader.readMember(bodyOf(document), 'openapi_spec', null), message);
  },
} satisfies Contract<DocumentReader>;

const yaml = `# Pets, by the litter
openapi: 3.0.3
info:
  title: "Pets: all"
  version: '1.0'
servers:
  - url: https://pets.example/v1
paths: {}
x-count: 3
x-list:
  - true
  - null
  - 2026-01-31
  - plain text
`;

const yamlAsJson =
  '{"openapi":"3.0.3","info":{"title":"Pets: all","version":"1.0"},"servers":[{"url":"https://pets.example/v1"}],' +
  '"paths":{},"x-count":3,"x-list":[true,null,"2026-01-31","plain text"]}';

const fileCases = {
  'a JSON file is read without its byte order mark and the white space around the document': async (reader) => {
    const result = await reader.readFile(bytesOf(`\ufeff${pets}\n`));
    assert.equal(await unpack(result.packed), pets);
    assert.equal(result.title, 'Pets');
  },
  'a YAML file is converted to JSON': async (reader) => {
    const result = await reader.readFile(bytesOf(yaml));
    assert.equal(await unpack(result.packed), yamlAsJson);
    assert.equal(result.digest, await computeSha256(yamlAsJson));
    assert.equal(result.baseUrl, 'https://pets.example/v1');
  },
  'the members of a YAML file keep their order, even if their names look like numbers': async (reader) => {
    const numberedYaml = yaml.replace('x-count: 3', 'x-count:\n  zz: 1\n  404: 2\n  200: 3');
    const result = await reader.readFile(bytesOf(numberedYaml));
    assert.equal(await unpack(result.packed), yamlAsJson.replace('"x-count":3', '"x-count":{"zz":1,"404":2,"200":3}'));
  },
  'the operations of a document are read with it, and can be read again from the stored text': async (reader) => {
    const text = pets.replace('"paths":{}', '"paths":{"/pets":{"post":{"summary":"Add a pet"},"get":{}}}');
    assert.notEqual(text, pets);
    const result = await reader.readFile(bytesOf(text));
    assert.deepEqual(
      result.operations.map(({ key, method, path, summary }) => ({ key, method, path, summary })),
      [
        { key: 'efiwct3k3l3jk2jq', method: 'POST', path: '/pets', summary: 'Add a pet' },
        { key: 'wc6qpp6vua2q2ycs', method: 'GET', path: '/pets', summary: null },
      ],
    );
    assert.deepEqual(await reader.readOperations(result.packed), result.operations);
    assert.deepEqual(
      await reader.readOperations(result.packed),
      result.operations,
      'the bytes are not transferred from the caller',
    );
  },
  'the security schemes of a stored document can be read, first the one that calls use by default': async (reader) => {
    const schemes = '"securitySchemes":{"1":{"type":"http","scheme":"basic"},"key":{"type":"oauth2","flows":{}}}';
    const text = pets.replace('"paths":{}', `"paths":{},"security":[{"key":[]}],"components":{${schemes}}`);
    const { packed } = await reader.readFile(bytesOf(text));
    const readTypes = async () => (await reader.readSecuritySchemes(packed, null)).map(({ type }) => type);
    assert.deepEqual([await readTypes(), await readTypes()], Array(2).fill(['oauth2', 'basic']));
  },
  'a stored document can be converted to YAML': async (reader) => {
    const result = await reader.readFile(bytesOf(yamlAsJson));
    const writtenYaml = await reader.convertToYaml(result.packed, null);
    const rereadDocument = await reader.readFile(bytesOf(await unpack(writtenYaml)));
    assert.equal(await unpack(rereadDocument.packed), yamlAsJson);
  },
  'a malformed file is rejected with the line number': async (reader) => {
    await assertRejects(reader.readFile(bytesOf('{"openapi": "3.0.0",\n oops}')), /line 2/);
    await assertRejects(reader.readFile(bytesOf('openapi: 3.0.0\ninfo: title: Pets\n')), /line 2/);
    await assertRejects(reader.readFile(bytesOf('openapi: 3.0.0\npaths: {}\npaths: {}\n')), /line 3/);
    await assertRejects(reader.readFile(Uint8Array.of(0x7b, 0xff, 0x7d)), /UTF-8/);
  },
  'a file that is not a document is rejected with the reason and the location': async (reader) => {
    await assertRejects(reader.readFile(bytesOf('[]')), /: the document must be a JSON object$/);
    await assertRejects(reader.readFile(bytesOf(pets.replace('"Pets"', '1'))), /: info\.title must be a string$/);
    await assertRejects(reader.readFile(bytesOf('openapi: 3.0.0\npaths: {}\n')), /: info must be an object$/);
    await assertRejects(
      reader.readFile(bytesOf(pets.replace('{', `{"x-deep":${createNestedArrays(100)},`))),
      /100 levels/,
    );
  },
} satisfies Contract<DocumentReader>;

/** The contract of `DocumentReader`. */
export const documentReaderContract = {
  ...splittingCases,
  ...textCases,
  ...parsingCases,
  ...rejectionCases,
  ...fileCases,
} satisfies Contract<DocumentReader>;
