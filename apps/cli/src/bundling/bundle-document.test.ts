import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createDocumentReader } from '@portico/composition';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { bundleDocument } from './bundle-document.ts';

const documents = createDocumentReader();
const root = mkdtempSync(join(tmpdir(), 'bundling-'));
afterAll(async () => {
  await documents.close();
  rmSync(root, { recursive: true });
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'apis-'));
});

const write = (name: string, content: string | Buffer): string => {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
};

const head = 'openapi: 3.0.3\ninfo: {title: Pets, version: 1.0}\nservers: [{url: "https://pets.example"}]\n';

/** Bundles a YAML document, and returns the result as text and its notices. */
const bundle = async (content: string) => {
  const file = write('main.yaml', content);
  const { json, notices } = await bundleDocument(file, Buffer.from(content), folder, documents);
  return { text: json && Buffer.from(json).toString(), messages: notices.map(({ message }) => message) };
};

const withSchema = (reference: string): string =>
  `${head}paths: {}\ncomponents: {schemas: {Pet: {$ref: "${reference}"}}}\n`;

describe('a document with parts in other files', () => {
  test('is bundled from YAML and JSON in any encoding, and all numbers keep their digits', async () => {
    write(
      'paths/pets.yaml',
      'get:\n  parameters:\n    - $ref: ../parts.json#/limit\n  responses:\n    "200":\n      description: It\n' +
        '      content: {application/json: {schema: {$ref: "../schemas/pet.yml"}}}\n',
    );
    write(
      'parts.json',
      '{"limit": {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 9223372036854775807}}}',
    );
    const pet = 'type: object\nproperties: {id: {multipleOf: 1.10}, parent: {$ref: pet.yml}}\n';
    write('schemas/pet.yml', Buffer.from(`\ufeff${pet}`, 'utf16le'));
    const { text, messages } = await bundle(
      `${head}paths:\n  /pets: {$ref: paths/pets.yaml}\nx-min: 12345678901234567890.5\n`,
    );
    expect(messages).toEqual([]);
    expect(text).toContain('"version":1.0}');
    expect(text).toContain('"maximum":9223372036854775807');
    expect(text).toContain('"multipleOf":1.10');
    expect(text).toContain('"x-min":12345678901234567890.5');
    const { hasExternalReferences, operations, warnings } = await documents.readFile(Buffer.from(text ?? ''));
    expect([hasExternalReferences, operations.map(({ path }) => path)]).toEqual([false, ['/pets']]);
    expect(warnings.first.map(({ pointer }) => pointer)).toEqual(['/info/version']);
  });

  test('may be Swagger 2.0, whose version may be a number', async () => {
    write('pet.yaml', 'type: object\nproperties: {id: {type: integer}}\n');
    const { text } = await bundle(
      'swagger: 2.0\ninfo: {title: Pets, version: "1"}\nhost: pets.example\npaths: {}\ndefinitions: {Pet: {$ref: pet.yaml}}\n',
    );
    expect(JSON.parse(text ?? '')).toMatchObject({ swagger: '2.0', definitions: { pet: { type: 'object' } } });
  });

  test('may refer to itself, to names with blanks, and to text', async () => {
    write('my pets.yaml', 'type: object\nproperties: {other: {$ref: "main.yaml#/components/schemas/Other"}}\n');
    write('text.md', '# Pets');
    const { text, messages } = await bundle(
      `${head}paths: {}\ncomponents:\n  schemas: {Other: {type: string}, Pet: {$ref: "my%20pets.yaml"}}\n` +
        '  examples: {a: {externalValue: text.md}}\n',
    );
    expect(messages).toEqual([]);
    expect(JSON.parse(text ?? '')).toMatchObject({
      components: { schemas: { 'my pets': { properties: { other: { $ref: '#/components/schemas/Other' } } } } },
    });
  });

  test('reports the values of its parts that JSON cannot represent', async () => {
    write('pet.yaml', 'type: number\nexample: .nan\n');
    const { text, messages } = await bundle(withSchema('pet.yaml'));
    expect(text).toContain('"example":null');
    expect(messages).toEqual([
      'pet.yaml#/example is .nan, a number that JSON cannot represent; null is stored instead',
    ]);
  });
});

describe('a reference is left, and named with the reason,', () => {
  const outsideOf = () => `outside of the folder ${folder}, so it was not read`;

  test.each([
    ['an address', 'https://pets.example/pet.yaml', 'is an address, and nothing is fetched'],
    ['an address without a scheme', '//pets.example/pet.yaml', 'is an address, and nothing is fetched'],
    ['a file URL', 'file:///etc/hostname', 'is an address, and nothing is fetched'],
    ['a missing file', 'gone.yaml', 'does not exist'],
    ['a folder', 'parts', 'is not a file'],
    ['a broken file', 'broken.yaml', 'Invalid request body: not valid YAML'],
  ])('if it leads to %s', async (_name, reference, problem) => {
    write('parts/a.yaml', 'a: 1');
    write('broken.yaml', 'a: b: c');
    const { text, messages } = await bundle(withSchema(reference));
    expect(text).toBeNull();
    expect(messages).toEqual([expect.stringContaining(`the reference to '${reference}' was left: it ${problem}`)]);
  });

  test('if it leads above the folder, by its path or by a link', async () => {
    const outside = join(root, 'outside.yaml');
    writeFileSync(outside, 'type: string\n');
    symlinkSync(outside, join(folder, 'link.yaml'));
    symlinkSync(root, join(folder, 'parent'));
    for (const [reference, problem] of [
      ['../outside.yaml', `is ${outsideOf()}`],
      ['parts/../../outside.yaml', `is ${outsideOf()}`],
      [outside, `is ${outsideOf()}`],
      ['link.yaml', `is a link; its target is ${outsideOf()}`],
      ['parent/outside.yaml', `is a link; its target is ${outsideOf()}`],
    ] as const) {
      const { text, messages } = await bundle(withSchema(reference));
      expect([text, messages]).toEqual([null, [expect.stringContaining(`was left: it ${problem}`)]]);
    }
  });

  test('but a link to a file in the folder is followed', async () => {
    symlinkSync(write('pet.yaml', 'type: string\n'), join(folder, 'link.yaml'));
    const { text, messages } = await bundle(withSchema('link.yaml'));
    expect([text, messages]).toEqual([expect.stringContaining('"link":{"type":"string"}'), []]);
  });

  test('if its file is larger than 32 MiB', async () => {
    const file = write('large.txt', '');
    truncateSync(file, 33_554_432);
    expect((await bundle(withSchema('large.txt'))).messages).toEqual([]);
    truncateSync(file, 33_554_433);
    expect((await bundle(withSchema('large.txt'))).messages).toEqual([
      expect.stringContaining('is too large to be bundled'),
    ]);
  });

  test('and at most five are named', async () => {
    const schemas = (count: number) =>
      `${head}paths: {}\ncomponents: {schemas: {${Array.from({ length: count }, (_, i) => `A${i}: {$ref: a${i}.yaml}`).join(', ')}}}\n`;
    expect((await bundle(schemas(5))).messages).toHaveLength(5);
    expect((await bundle(schemas(7))).messages.slice(4)).toEqual([
      "the reference to 'a4.yaml' was left: it does not exist",
      '2 more references were left',
    ]);
  });
});
