import { expect, test } from 'vitest';
import { provideSubject } from '../provide-subject.ts';
import { smallDocument, textOf, type Start } from '../subject.ts';

/** Tests the data that the service derives from a document. */
export const documentMetadataSuite = (start: Start): void => {
  const { fixtures, call } = provideSubject(start);
  const create = (json: unknown, query = '') =>
    call('POST', `/api/collections/${query}`, { token: fixtures.admin, json });
  const readMetadata = (id: string) => call('GET', `/api/collections/${id}/metadata`, { token: fixtures.admin });

  test('a document with huge strings is accepted, and its warnings and metadata are small', async () => {
    const hugeDocument = {
      ...smallDocument,
      info: { title: 't'.repeat(100_000), version: '1' },
      servers: [{ url: '{a}'.repeat(100_000), variables: { a: { default: 'x'.repeat(4_000) } } }],
      components: { securitySchemes: { k: { type: 'apiKey', in: 'header', name: 'n'.repeat(100_000) } } },
    };
    const reply = await create({ name: 'Amplified', openapi_spec: hugeDocument });
    expect(reply.status).toBe(201);
    const { first } = reply.body.warnings as { first: { pointer: string }[] };
    expect(first.slice(0, 2).map(({ pointer }) => pointer)).toEqual([
      '/servers/0/url',
      '/components/securitySchemes/k/name',
    ]);
    expect(JSON.stringify(reply.body.warnings).length).toBeLessThan(2_000);
    const metadata = await readMetadata(textOf(reply.body.id));
    expect(metadata.body).toMatchObject({ base_url: '/', authentication: { type: 'none', name: null, value: null } });
    expect(metadata.text.length).toBeLessThan(1_000);
    expect((await create({ name: 'Amplified', openapi_spec: hugeDocument }, '?strict=true')).status).toBe(400);
  });

  test('strings with line breaks in a document never appear in its metadata', async () => {
    const openapi_spec = {
      ...smallDocument,
      servers: [{ url: 'https://a.example/\r\nX-Evil: 1' }],
      components: { securitySchemes: { k: { type: 'apiKey', in: 'header', name: 'X-A\r\nX-Evil: 1' } } },
    };
    const { body } = await create({ name: 'Lines', openapi_spec });
    expect((await readMetadata(textOf(body.id))).body).toMatchObject({
      base_url: '/',
      authentication: { type: 'none', name: null },
    });
  });

  test('the first security scheme is the first in the text, even if names look like numbers', async () => {
    const schemes = '{"zz":{"type":"http","scheme":"bearer"},"1":{"type":"http","scheme":"basic"}}';
    const spec = `{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{},"components":{"securitySchemes":${schemes}}}`;
    const raw = `{"name":"Numbers","prototype":1,"openapi_spec":${spec}}`;
    const options = { token: fixtures.admin, raw, headers: ['Content-Type', 'application/json'] };
    const { status, body } = await call('POST', '/api/collections/', options);
    expect(status).toBe(201);
    expect((await readMetadata(textOf(body.id))).body.authentication).toMatchObject({ type: 'bearer' });
  });
};
