import { describe, expect, test } from 'vitest';
import { errorOf } from '../reply.ts';
import { provideSubject } from '../provide-subject.ts';
import { smallDocument, textOf, type Start } from '../subject.ts';

const operation = { responses: { 200: { description: 'It' } } };
const withPaths = (...paths: readonly string[]) => ({
  ...smallDocument,
  paths: Object.fromEntries(paths.map((path) => [path, { get: operation }])),
});

/** Tests publishing documents repeatedly from their source. */
export const importsSuite = (start: Start): void => {
  const { fixtures, call } = provideSubject(start);
  const publish = (query: string, json: unknown) =>
    call('PUT', `/api/imports/${query}`, { token: fixtures.admin, json });
  const plan = (query: string, json: unknown) =>
    call('POST', `/api/imports/plan${query}`, { token: fixtures.admin, json });

  describe('publishing with an import key', () => {
    test('creates a collection, then updates it, and reports if nothing has changed', async () => {
      const query = '?import_key=acme%2Fweather%3Aopenapi.yaml';
      const firstReply = await publish(query, { name: 'Weather', openapi_spec: withPaths('/forecast') });
      expect([firstReply.status, firstReply.body.outcome]).toEqual([200, 'created']);
      const repeatedReply = await publish(query, { name: 'Weather', openapi_spec: withPaths('/forecast') });
      expect([repeatedReply.status, repeatedReply.body]).toEqual([200, { ...firstReply.body, outcome: 'unchanged' }]);
      const changedReply = await publish(query, { name: 'Climate', openapi_spec: withPaths('/history') });
      expect([changedReply.status, changedReply.body.outcome, changedReply.body.id]).toEqual([
        200,
        'updated',
        firstReply.body.id,
      ]);
      const collectionReply = await call('GET', `/api/collections/${textOf(firstReply.body.id)}`, {
        token: fixtures.admin,
      });
      expect(collectionReply.body).toMatchObject({ name: 'Climate', openapi_spec: withPaths('/history') });
    });

    test('reports violations of the official schema, and rejects them in strict mode', async () => {
      const servers = [{ url: 'https://departing.example' }];
      const invalidDocument = { openapi: '3.0.3', info: { title: 'Departing' }, servers, paths: {} };
      const { body } = await publish('?import_key=departing', { name: 'Departing', openapi_spec: invalidDocument });
      expect(body.warnings).toMatchObject({ total: 1, first: [{ pointer: '/info' }] });
      for (const submit of [publish, plan]) {
        expect(
          errorOf(
            await submit('?import_key=departing&strict=true', { name: 'Departing', openapi_spec: invalidDocument }),
          ),
        ).toEqual([400, expect.stringMatching(/^Invalid request body: openapi_spec\/info /)]);
      }
    });
  });

  describe('a plan', () => {
    test('reports changes without making them', async () => {
      const query = '?import_key=planned';
      const createPlan = await plan(query, { name: 'Planned', openapi_spec: withPaths('/a') });
      expect([createPlan.status, createPlan.body]).toMatchObject([
        200,
        {
          outcome: 'created',
          id: null,
          changes: { document: true, operations_added: { total: 1, first: ['GET /a'] } },
        },
      ]);
      const { id } = (await publish(query, { name: 'Planned', openapi_spec: withPaths('/a') })).body;
      const update = { name: 'Replanned', openapi_spec: withPaths('/b') };
      const previewPlan = await plan(query, update);
      expect(previewPlan.body).toMatchObject({
        ...{ outcome: 'updated', id, name: 'Replanned', description_derived: false },
        changes: {
          name: { from: 'Planned', to: 'Replanned' },
          document: true,
          operations_added: { total: 1, first: ['GET /b'] },
          operations_removed: { total: 1, first: ['GET /a'] },
        },
        comparison: {
          counts: { breaking: 1, warning: 0 },
          first: expect.arrayContaining([expect.objectContaining({ level: 'breaking', path: '/a' })]) as unknown,
        },
      });
      expect((await plan(query, update)).body).toEqual(previewPlan.body);
    });

    test('lists at most 100 operations, but counts all of them', async () => {
      const paths = Array.from({ length: 101 }, (_, index) => `/p${index}`);
      const { body } = await plan('?import_key=many', { name: 'Many', openapi_spec: withPaths(...paths) });
      const firstOperations = paths.slice(0, 100).map((path) => `GET ${path}`);
      expect(body.changes).toMatchObject({ operations_added: { total: 101, first: firstOperations } });
      expect(body.comparison).toBeUndefined();
    });

    test.each([100, 101])('lists at most 100 of %i changes, but counts all of them', async (count) => {
      const query = `?import_key=compared-${count}`;
      const paths = Array.from({ length: count }, (_, index) => `/p${index}`);
      await publish(query, { name: 'Compared', openapi_spec: withPaths('/a', ...paths) });
      const { body } = await plan(query, { name: 'Compared', openapi_spec: withPaths('/a') });
      expect(body.comparison).toMatchObject({ counts: { breaking: count }, total: count });
      expect((body.comparison as { first: unknown[] }).first).toHaveLength(100);
    });
  });

  test('an ambiguous name is rejected without an import key', async () => {
    const json = { name: 'Shared', openapi_spec: smallDocument };
    expect((await publish('?import_key=one', json)).status).toBe(200);
    expect((await publish('', json)).body.outcome).toBe('unchanged');
    const planBody = (await plan('?import_key=two', json)).body;
    const [firstBody, secondBody] = [
      (await publish('?import_key=one', json)).body,
      (await publish('?import_key=two', json)).body,
    ];
    expect([planBody.namesakes, secondBody.namesakes]).toEqual([[firstBody.id], [firstBody.id]]);
    expect((await publish('?import_key=two', json)).body).not.toHaveProperty('namesakes');
    for (const submit of [publish, plan]) {
      const { status, body } = await submit('', json);
      expect([status, body.detail]).toEqual([409, expect.stringMatching(/^Several collections have this name: /)]);
    }
  });
};
