import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, inflateRawSync } from 'node:zlib';
import type { ReadDocument } from '@portico/domain';
import { afterAll, describe, expect, test } from 'vitest';
import { createDocumentReader } from '../src/create-document-reader.ts';
import { isAcceptedByOtherValidator } from './other-validator.ts';

// These documents are next to the repository rather than in it: they were published by third parties, and the product
// does not need them.
const root = join(import.meta.dirname, '../../../..');
const folder = join(root, '../shared/data/specs');
const isPresent = existsSync(folder);
const files = isPresent ? readdirSync(folder).filter((file) => file.endsWith('.json') && file !== 'manifest.json') : [];
const malformedFiles = isPresent
  ? readdirSync(join(folder, 'malformed')).filter((file) => file.endsWith('.broken'))
  : [];

const noAuthentication = 'none';
const bearer = 'bearer Authorization';
const basic = 'basic Authorization';

/** The base URL and authentication of each document, determined by hand. */
const expectedDocuments: readonly (readonly [file: string, baseUrl: string, authentication: string])[] = [
  // URLs that are empty, absent or not URLs at all, or that contain variables.
  ['amentum.space-gravity', '/', noAuthentication],
  ['apache.org-qakka', '/', noAuthentication],
  ['elastic.co', '/', noAuthentication],
  ['apisetu.gov.in-issuer', 'Your API URL', noAuthentication],
  [
    'adyen.com-terminalapi',
    'https://device-api-test.adyen.com/v1/merchants/{merchantAccount}/devices/{deviceId}/sync',
    'apiKey X-API-Key header',
  ],
  ['atlassian.com-jira', 'https://{your-domain}.atlassian.net', bearer],
  ['bunq.com', 'https://public-api.sandbox.bunq.com/v1', noAuthentication],
  ['github.com-ghes', 'http://HOSTNAME/api/v3', noAuthentication],
  ['gitlab.com', '/api', noAuthentication],
  ['docker.com-engine', '/v1.33', noAuthentication],
  ['vtex.local-search-api', 'https://apiexamples.vtexcommercestable.com.br', 'apiKey X-VTEX-API-AppKey header'],
  // Structure: no version, an empty title, only webhooks, paths without a slash.
  ['tokenjay.app', 'https://api.tokenjay.app/', noAuthentication],
  ['ipinfodb.com', '/', noAuthentication],
  ['adyen.com-webhooks', '/', basic],
  ['apicurio.local-registry', 'https://MY-REGISTRY-URL/apis/registry/v2', noAuthentication],
  // Security: schemes without a type, a scheme that is a reference, several schemes, mutual TLS.
  ['import.io-extraction', 'https://extraction.import.io/', noAuthentication],
  ['import.io-rss', 'https://rss.import.io/', noAuthentication],
  ['import.io-run', 'https://run.import.io/', noAuthentication],
  ['camaraproject.org-geofencing-subscriptions', 'http://localhost:9091/geofencing-subscriptions/vwip', bearer],
  ['mermade-3.1-pass-mega', '/', noAuthentication],
  ['mermade-3.0-pass-gluecon-example1-from-.-improved-securityschemes.md', '/', basic],
  ['oas-examples-3.1-json-security', 'https://httpbin.org', 'apiKey api_key cookie'],
  ['cloudflare.com', 'https://api.cloudflare.com/client/v4', 'apiKey X-Auth-Email header'],
  ['asana.com', 'https://app.asana.com/api/1.0', bearer],
  ['bitbucket.org', 'https://api.bitbucket.org/2.0', 'apiKey Authorization header'],
  ['nasa.gov-apod', 'https://api.nasa.gov/planetary', 'apiKey api_key query'],
  ['viator.com', 'https://viatorapi.viator.com/service', 'apiKey exp-api-key header'],
  ['stripe.com', 'https://api.stripe.com/', basic],
  ['spotify.com', 'https://api.spotify.com/v1', bearer],
  // References: to external files, dangling ones, percent-encoded ones.
  ['digitalocean.com', 'https://api.digitalocean.com', bearer],
  ['squareup.com', 'https://connect.squareup.com', bearer],
  ['surevoip.co.uk', 'https://api.surevoip.co.uk', basic],
  // Data: integers above 2^53.
  ['discord.com', 'https://discord.com/api/v10', 'apiKey Authorization header'],
];

const reader = createDocumentReader();
afterAll(() => reader.close());

const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8').trim();

/** The documents that have been read; each is read once for all tests. */
const documents = new Map<string, Promise<ReadDocument>>();

async function read(file: string): Promise<{ text: string; document: ReadDocument }> {
  const text = textOf(file);
  const document = documents.get(file) ?? readAsBody(text);
  documents.set(file, document);
  return { text, document: await document };
}

async function readAsBody(text: string): Promise<ReadDocument> {
  const body = Uint8Array.from(Buffer.from(`{"name":"x","openapi_spec":${text}}`));
  const { fields, document } = await reader.readMember(body, 'openapi_spec', null);
  expect(fields).toEqual({ name: 'x' });
  if (!document) throw new Error('The body contains no document');
  return document;
}

const exists = (document: unknown, pointer: string): boolean => {
  let value = document;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false;
    value = (value as Record<string, unknown>)[name];
  }
  return true;
};

if (!isPresent) test.skip(`real documents: there are none at ../shared/data/specs next to the repository`, () => {});

describe.skipIf(!isPresent)('published documents', () => {
  test.each(files)('%s is accepted, and its text is returned unchanged', async (file) => {
    const { text, document } = await read(file);
    const { deflated, bytes } = document.packed;
    const unpackedText = inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH });
    expect(unpackedText.length).toBe(bytes);
    expect(createHash('sha256').update(unpackedText).digest('hex')).toBe(
      createHash('sha256').update(text).digest('hex'),
    );
    expect(document.digest).toBe(createHash('sha256').update(text).digest('hex'));
  });

  test.each(files)(
    '%s has warnings only if an independent validator finds faults; each has a position and occurs once',
    async (file) => {
      const { text, document } = await read(file);
      const parsedDocument = JSON.parse(text) as { openapi: string };
      const { total, first } = document.warnings;
      expect(total === 0).toBe(isAcceptedByOtherValidator(parsedDocument.openapi.slice(0, 3), parsedDocument));
      expect(first.length).toBe(Math.min(total, 20));
      expect(new Set(first.map(({ pointer, message }) => `${pointer} ${message}`)).size).toBe(first.length);
      for (const { pointer } of first) expect(exists(parsedDocument, pointer), pointer).toBe(true);
    },
  );

  test.each(expectedDocuments)('%s has the base URL %s and the authentication %s', async (name, baseUrl, expected) => {
    const { document } = await read(`${name}.json`);
    const { type, name: parameter, in: place } = document.authentication;
    expect(document.baseUrl).toBe(baseUrl);
    expect([type, parameter, place].filter(Boolean).join(' ')).toBe(expected);
  });

  test.each<[string, string | RegExp]>([
    [
      'xero.com-xero_accounting',
      /^Attachments, history, contacts, credit notes, invoices, purchase orders, .*bank transfers/,
    ],
    [
      'cloud-elements.com-ecwid',
      /\borders, bulk, customers, products\b.*Create a new bulk download job \(asynchronous\)\./,
    ],
    ['gitlab.com', /^Projects, merge request, repository, issues, .*Compare two branches, tags, or commits\./],
    ['letmc.com-diary', /^Appointment, company, branches, .*Match Guest Parameters with existing applicants\./],
    [
      'pay1.de-link',
      'Link management, payment links. Get payment link by id. List all payment links. Create a payment link. Update a payment link.',
    ],
    ['eos.local', 'Connect, connections, disconnect, status.'],
    ['mermade-3.1-pass-mega', "My API's summary."],
    ['import.io-rss', /^Run, extractor, data, extraction, rss, store, schedule\. Get a feed of the runs/],
    ['ipinfodb.com', ''],
  ])('%s has no description, and gets one derived from its words', async (name, expected) => {
    const { document } = await read(`${name}.json`);
    expect(document.description ?? '').toBe('');
    if (typeof expected === 'string') expect(document.derivedDescription).toBe(expected);
    else expect(document.derivedDescription).toMatch(expected);
  });

  test('descriptions are derived only for documents without one, and contain no markup, URLs or ids', async () => {
    for (const file of files) {
      const { description, derivedDescription } = (await read(file)).document;
      if (description) expect(derivedDescription).toBe('');
      expect([...derivedDescription].length).toBeLessThanOrEqual(600);
      expect(derivedDescription).not.toMatch(/[<>{}`*#\\]|https?:|www\.|\S@\S|\d{5}/);
    }
  });

  test('integers beyond 2^53 keep all their digits', async () => {
    const { text, document } = await read('discord.com.json');
    const largeIntegers = text.match(/(?<=: ?)\d{17,}/g) ?? [];
    expect(largeIntegers.some((digits) => !Number.isSafeInteger(Number(digits)))).toBe(true);
    const unpackedText = inflateRawSync(document.packed.deflated, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
    expect(unpackedText.match(/(?<=: ?)\d{17,}/g)).toEqual(largeIntegers);
  });

  test('a document of 19.7 MB is read while the main thread keeps running', async () => {
    const text = readFileSync(join(folder, 'github.com-ghes.deref.json'));
    const body = Uint8Array.from(Buffer.concat([Buffer.from('{"openapi_spec":'), text, Buffer.from('}')]));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const { document } = await reader.readMember(body, 'openapi_spec', null);
    clearInterval(timer);
    expect(document?.packed.bytes).toBe(text.length);
    expect(ticks).toBeGreaterThan(10);
  });

  test.each(malformedFiles)('%s is rejected with the position of its fault', async (file) => {
    const content = readFileSync(join(folder, 'malformed', file));
    let message = '';
    try {
      JSON.parse(content.toString());
    } catch (error) {
      message = (error as Error).message;
    }
    // If the engine does not report a position, the text ends prematurely.
    const match = /line (\d+) column (\d+)/.exec(message);
    const lines = content.toString().split('\n');
    const [line, column] = match ? [match[1], match[2]] : [lines.length, (lines.at(-1)?.length ?? 0) + 1];
    expect(message).toMatch(match ? /line/ : /end of JSON/);
    await expect(reader.readFile(content)).rejects.toThrow(
      new RegExp(`not valid JSON: expected .* at line ${line}, column ${column}$`),
    );
  });
});
