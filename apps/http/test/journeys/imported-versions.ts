import { describe, expect, test } from 'vitest';
import { errorOf } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { smallDocument, textOf, type Start } from '../subject.ts';

const operation = { responses: { 200: { description: 'It' } } };
const servers = [{ url: 'https://pets.example' }];
const swagger = {
  ...{ swagger: '2.0', info: { title: 'Pets', version: '1' } },
  ...{ host: 'pets.example', basePath: '/v1', schemes: ['https'] },
  paths: { '/pets': { get: operation } },
};
const document32 = {
  openapi: '3.2.0',
  info: { title: 'Pets', version: '1' },
  servers,
  paths: { '/pets': { query: operation } },
};

/** Tests documents that only an import accepts, and the warnings of an import. */
export const importedVersionsSuite = (start: Start): void => {
  const { fixtures, call } = provideSubject(start);
  const options = (json: unknown) => ({ token: fixtures.admin, json });
  const publish = (key: string, name: string, openapi_spec: unknown) =>
    call('PUT', `/api/imports/?import_key=${key}`, options({ name, openapi_spec }));
  const plan = (key: string, name: string, openapi_spec: unknown) =>
    call('POST', `/api/imports/plan?import_key=${key}`, options({ name, openapi_spec }));
  const readText = (id: unknown, query = '', headers?: readonly [string, string]) =>
    call('GET', `/api/collections/${textOf(id)}/openapi.json${query}`, {
      token: fixtures.admin,
      ...(headers ? { headers } : {}),
    });
  const update = (id: unknown, openapi_spec: unknown) =>
    call('PUT', `/api/collections/${textOf(id)}`, options({ openapi_spec }));
  const readSummary = async (id: unknown) =>
    (await call('GET', `/api/collections/${textOf(id)}/summary`, { token: fixtures.admin })).body;

  describe('Swagger 2.0', () => {
    test('is converted when it is imported, and the text as sent remains readable', async () => {
      expect((await plan('swagger', 'Old pets', swagger)).body).toMatchObject({
        outcome: 'created',
        converted_from: '2.0',
      });
      const { status, body } = await publish('swagger', 'Old pets', swagger);
      expect([status, body.outcome, body.converted_from, 'warnings' in body]).toEqual([200, 'created', '2.0', false]);
      const { id } = body;
      expect(await readSummary(id)).toMatchObject({ converted_from: '2.0', base_url: 'https://pets.example/v1' });
      const converted = await readText(id);
      expect(converted.body).toMatchObject({ openapi: '3.0.4', servers: [{ url: 'https://pets.example/v1' }] });
      const original = await readText(id, '?original=true');
      expect(original.text).toBe(JSON.stringify(swagger));
      const etag = textOf(original.headers.etag);
      expect(etag).not.toBe(converted.headers.etag);
      expect((await readText(id, '?original=true', ['If-None-Match', etag])).status).toBe(304);
      expect((await readText(id, '', ['If-None-Match', etag])).status).toBe(200);
      expect(errorOf(await readText(id, '?original=perhaps'))[0]).toBe(400);
    });

    test('is recognized as unchanged, also in a plan', async () => {
      const { id, updated_at } = (await publish('unchanged', 'Same pets', swagger)).body;
      const repeated = (await publish('unchanged', 'Same pets', swagger)).body;
      expect(repeated).toMatchObject({ outcome: 'unchanged', id, updated_at, converted_from: '2.0' });
      const repeatedPlan = (await plan('unchanged', 'Same pets', swagger)).body;
      expect(repeatedPlan).toMatchObject({ outcome: 'unchanged', changes: { document: false } });
      const changed = await publish('unchanged', 'Same pets', { ...swagger, host: 'new.example' });
      expect(changed.body).toMatchObject({ outcome: 'updated', id });
      expect((await readText(id, '?original=true')).text).toContain('new.example');
    });

    test('is rejected by other requests, which replace the converted document and its original', async () => {
      const message: unknown = expect.stringMatching(/openapi_spec\.swagger: Swagger "2\.0" is not supported/);
      const creation = await call('POST', '/api/collections/', options({ name: 'Old', openapi_spec: swagger }));
      expect(errorOf(creation)).toEqual([400, message]);
      const { id } = (await publish('replaced', 'Replaced pets', swagger)).body;
      expect(errorOf(await update(id, swagger))).toEqual([400, message]);
      expect((await update(id, smallDocument)).status).toBe(200);
      expect(await readSummary(id)).toMatchObject({ converted_from: null });
      expect((await readText(id, '?original=true')).text).toBe(JSON.stringify(smallDocument));
    });
  });

  describe('OpenAPI 3.2', () => {
    test('is imported as sent, with warnings that name its additions', async () => {
      const { status, body } = await publish('next', 'Next pets', document32);
      expect([status, body.converted_from]).toEqual([200, null]);
      expect(body.warnings).toMatchObject({
        total: 2,
        first: [
          { pointer: '/openapi', message: expect.stringContaining('read as 3.1') as unknown },
          { pointer: '/paths/~1pets/query', message: expect.stringContaining('new in OpenAPI 3.2') as unknown },
        ],
      });
      expect((await readText(body.id)).text).toBe(JSON.stringify(document32));
      expect((await publish('next', 'Next pets', document32)).body.outcome).toBe('unchanged');
    });

    test('is accepted by an update only if the collection holds such a document', async () => {
      const creation = await call('POST', '/api/collections/', options({ name: 'Next', openapi_spec: document32 }));
      expect(errorOf(creation)).toEqual([
        400,
        expect.stringMatching(/openapi_spec\.openapi must be a version 3\.0\.x or 3\.1\.x/),
      ]);
      const { id } = (await publish('updated', 'Updated pets', smallDocument)).body;
      expect(errorOf(await update(id, document32))).toEqual([
        400,
        'Invalid request body: the document is of OpenAPI 3.2.0: import it, or send one of version 3.0.x or 3.1.x',
      ]);
      expect((await publish('updated', 'Updated pets', document32)).body.outcome).toBe('updated');
      expect((await update(id, { ...document32, openapi: '3.2.1' })).status).toBe(200);
      expect((await readText(id)).body).toMatchObject({ openapi: '3.2.1' });
      expect((await update(id, smallDocument)).status).toBe(200);
      expect((await update(id, document32)).status).toBe(400);
    });
  });

  test('an import warns about references that lead out and about an unusable base address, in strict mode too', async () => {
    const paths = { '/a': { $ref: 'a.yaml' }, '/b': { get: { ...operation, parameters: [{ $ref: '../b.yaml#/p' }] } } };
    const document = { openapi: '3.0.3', info: { title: 'Pets', version: '1' }, servers: [{ url: '/v1' }], paths };
    for (const path of [
      '/api/imports/plan?strict=true&import_key=notices',
      '/api/imports/?strict=true&import_key=notices',
    ]) {
      const { status, body } = await call(
        path.includes('plan') ? 'POST' : 'PUT',
        path,
        options({ name: 'Parts', openapi_spec: document }),
      );
      expect([status, body.warnings]).toEqual([
        200,
        {
          total: 2,
          first: [
            {
              pointer: '/servers',
              message:
                "the address of the first server, '/v1', is relative, and the document does not say to which host; " +
                'the collection needs a base URL of its own',
            },
            {
              pointer: '/paths/~1a',
              message:
                "2 references lead out of the document and are not followed: 'a.yaml', '../b.yaml'; " +
                '1 operation or path has no description here: /a',
            },
          ],
        },
      ]);
    }
    const creation = await call('POST', '/api/collections/', options({ name: 'Parts too', openapi_spec: document }));
    expect([creation.status, 'warnings' in creation.body]).toEqual([201, false]);
  });
};
