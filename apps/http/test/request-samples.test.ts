import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  defaultCallSettings,
  findDocumentOperation,
  parseExactJson,
  prepareRequest,
  sourceOf,
  toSampleRequest,
  type CollectionId,
  type JsonObject,
  type OperationKey,
  type PreparedRequest,
} from '@portico/domain';
import { createTemporaryFolder } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sampleNames, type SampleName } from '../src/samples/languages.ts';
import { printSamples } from '../src/samples/request-samples.ts';
import { runners, type Runner } from './samples-programs.ts';

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const receivedRequests: ReceivedRequest[] = [];
const server = createServer((request, response) => {
  const { method, url, headers } = request;
  void buffer(request).then((body) => {
    receivedRequests.push({ method, url, headers, body: body.toString('base64') });
    response.end('Received');
  });
});
let address: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const hostile = `"'\\ """ ''' \`id\` $id $(id) \${id} {$id} #{id} #$0 #@a %s %{a} <?php ?> // /* \u201c\u2018 😀 é`;
const hostileLines = `${hostile}\0\u0007\r\n\t\u2028\ufeff\\\nEOF\nJSON\n`;
const hostileHeader = hostile.replace(/[^\x20-\x7e]/g, '').trim();
const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index)).toString('base64');
const text = { type: 'string' };
const file = { type: 'string', format: 'binary' };
const bodyOf = (type: string, schema: JsonObject): JsonObject => ({
  requestBody: { required: true, content: { [type]: { schema } } },
});
const membersOf = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
});
const parameter = (name: string, location: string) => ({ name, in: location, schema: text, required: true });

interface Case {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
  readonly values: JsonObject;
}

const send = (method: string, path: string, operation: JsonObject = {}, values: JsonObject = {}): Case => ({
  method,
  path,
  operation,
  values,
});
const cases: readonly Case[] = [
  send(
    'GET',
    '/parameters/{id}/$filter',
    {
      security: [{ query: [], cookie: [], bearer: [] }],
      parameters: [
        parameter('id', 'path'),
        parameter('$q', 'query'),
        parameter('c', 'cookie'),
        parameter("X-$#'`%", 'header'),
        parameter('X-Plain', 'header'),
      ],
    },
    { id: hostile, $q: hostileLines, c: hostile, "X-$#'`%": hostileHeader, 'X-Plain': 'stand-in-0 "stand-in-1"' },
  ),
  send(
    'POST',
    '/json',
    { security: [{ basic: [] }], ...bodyOf('application/json', membersOf('a', 'b')) },
    { a: hostileLines, b: '": true,\n: null,' },
  ),
  send('POST', '/exact-numbers', bodyOf('application/json', { type: 'array' }), {
    body: parseExactJson('[12345678901234567890, 1.0, 1e400]'),
  }),
  send('PUT', '/form', bodyOf('application/x-www-form-urlencoded', membersOf('a b')), { 'a b': hostileLines }),
  send('POST', '/multipart', bodyOf('multipart/form-data', { type: 'object', properties: { a: text, file } }), {
    a: hostileLines,
    file: hostileLines,
  }),
  send('POST', '/multipart-bytes', bodyOf('multipart/form-data', { type: 'object', properties: { file } }), {
    file: `data:image/png;base64,${bytes}`,
  }),
  send('PATCH', '/text', bodyOf('text/plain', text), { body: hostileLines }),
  // Java stores each of these in two bytes.
  send('PUT', '/long-text', bodyOf('text/plain', text), { body: '\0'.repeat(32_000) }),
  send('POST', '/bytes', bodyOf('application/octet-stream', file), {
    body: `data:application/octet-stream;base64,${bytes}`,
  }),
  send('POST', '/no-bytes', bodyOf('application/octet-stream', file), {
    body: 'data:application/octet-stream;base64,',
  }),
  send('POST', '/no-body'),
  send('DELETE', '/no-body'),
  send('OPTIONS', '/no-body'),
  send('HEAD', '/no-body'),
  send('TRACE', '/no-body'),
];

const securitySchemes = {
  query: { type: 'apiKey', in: 'query', name: '$key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
};

function prepare({ method, path, operation, values }: Case): PreparedRequest {
  const document = {
    openapi: '3.0.3',
    servers: [{ url: address }],
    components: { securitySchemes },
    paths: { [path]: { [method.toLowerCase()]: operation } },
  };
  const context = {
    collectionId: '8a6e0804-2bd0-4672-b79d-d97027f9071a' as CollectionId,
    collectionName: 'Echo',
    operationKey: 'abcdefghijklmnop' as OperationKey,
    settings: defaultCallSettings,
  };
  const operationMatch = findDocumentOperation(document, method, path);
  if (!operationMatch) throw new Error(`The document has no ${method} ${path}`);
  const preparation = prepareRequest(sourceOf(document), operationMatch, context, values);
  if ('errors' in preparation) throw new Error(JSON.stringify(preparation.errors));
  return preparation.request;
}

/** Returns the request as it has to arrive. */
function toExpectedRequest(prepared: PreparedRequest) {
  const request = toSampleRequest(prepared);
  if (!request) throw new Error('The request is not an HTTP request');
  const { method, url, headers, body } = request;
  return {
    method,
    url: url.slice(address.length),
    headers: expect.objectContaining(
      Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    ) as object,
    body: body === null ? '' : 'text' in body ? Buffer.from(body.text).toString('base64') : body.base64,
  };
}

describe.each(Object.entries<Runner>(runners))('the samples in %s', (name, { program, run }) => {
  const language = name as keyof typeof runners;

  test.skipIf(program === null)('send exactly the prepared requests, with any text or bytes', async () => {
    const requests = cases.map(prepare);
    const printed = await Promise.all(requests.map((request) => printSamples(request, [language])));
    const samples = printed.flatMap(({ samples: { [language]: sample } }) => sample ?? []);
    const sentRequests = requests.filter((_, index) => printed[index]?.samples[language] !== undefined);
    receivedRequests.length = 0;
    await run(samples, createTemporaryFolder(onTestFinished));
    expect(receivedRequests).toEqual(sentRequests.map(toExpectedRequest));
    const isFetch = language === 'javascript' || language === 'typescript';
    expect(cases.length - samples.length).toBe(isFetch ? 1 : 0);
  });
});

const printPrepared = (fields: Partial<PreparedRequest>, names: readonly SampleName[] = sampleNames) =>
  printSamples({ ...prepare(send('POST', '/no-body')), ...fields }, names);

describe('the samples', () => {
  test('have the command line of the prepared request, and only the languages that are requested', async () => {
    const prepared = prepare(send('POST', '/no-body'));
    const { samples, warnings } = await printSamples(prepared, ['go', 'curl']);
    expect([Object.keys(samples), samples.curl, warnings]).toEqual([['curl', 'go'], prepared.curl, []]);
  });

  test('do not exist for a URL that is not an HTTP URL', async () => {
    expect(await printPrepared({ url: 'wss://pets.example', curl: null })).toEqual({
      samples: {},
      warnings: ['There are no samples, because the URL is not an HTTP URL.'],
    });
  });

  test.each<[string, Partial<PreparedRequest>, string[], string]>([
    ['fetch cannot send TRACE', { method: 'TRACE' }, ['javascript', 'typescript'], 'fetch does not send TRACE'],
    [
      'fetch cannot send a body with GET',
      { method: 'GET', body: { text: 'a' } },
      ['javascript', 'typescript'],
      'fetch does not send a body with GET',
    ],
    ['libcurl drops a header', { headers: [['X-Empty', '']] }, ['php'], 'libcurl drops a header that is empty'],
    [
      'HttpClient drops a header',
      { headers: [['Content-Language', 'en']] },
      ['csharp'],
      'HttpClient has other places for headers that describe the body',
    ],
  ])('lack a language if %s, and a warning says so', async (_, fields, languages, reason) => {
    const { samples, warnings } = await printPrepared(fields);
    expect(sampleNames.filter((name) => samples[name] === undefined)).toEqual(languages);
    expect(warnings).toEqual(languages.map((name) => `The sample in ${name} is missing, because ${reason}.`));
  });

  test('are only the command line if the request is too large to read', async () => {
    const { samples, warnings } = await printPrepared({ body: { text: 'é'.repeat(16_384) } });
    expect([Object.keys(samples), warnings]).toEqual([
      ['curl'],
      ['There are no samples except curl, because the request has more than 32767 bytes.'],
    ]);
  });

  test('warn of a header that languages encode differently', async () => {
    const { warnings } = await printPrepared({ headers: [['X-Name', 'é']] }, ['go']);
    expect(warnings).toEqual([
      'Not every language of the samples sends characters beyond ASCII in a header in the same encoding.',
    ]);
  });

  test('contain every value of the request in all languages', async () => {
    const headers = [
      ['X-Name', 'value-of-header'],
      ['Content-Type', 'text/x-type'],
    ] as const;
    const url = 'https://pets.example/path?q=1';
    for (const body of [{ text: 'text-of-body' }, { base64: 'Ynl0ZXM=' }]) {
      const { samples } = await printPrepared({ url, headers, body });
      for (const name of sampleNames.filter((sampleName) => sampleName !== 'curl')) {
        for (const value of ['X-Name', 'value-of-header', 'text/x-type', 'pets.example', 'path?q=1'])
          expect(samples[name], name).toContain(value);
        expect(samples[name], name).toMatch('text' in body ? /text-of-body/ : /Ynl0ZXM=|\\x62\\x79\\x74\\x65\\x73/);
        expect(samples[name], name).not.toContain('stand-in');
      }
    }
  });
});
