import { describe, expect, test } from 'vitest';
import { refusalOf } from '../reply.ts';
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

  describe('publishing by an import key', () => {
    test('creates once, then updates the same collection, and reports when nothing changes', async () => {
      const query = '?import_key=acme%2Fweather%3Aopenapi.yaml';
      const first = await publish(query, { name: 'Weather', openapi_spec: withPaths('/forecast') });
      expect([first.status, first.body.outcome]).toEqual([200, 'created']);
      const again = await publish(query, { name: 'Weather', openapi_spec: withPaths('/forecast') });
      expect([again.status, again.body]).toEqual([200, { ...first.body, outcome: 'unchanged' }]);
      const changed = await publish(query, { name: 'Climate', openapi_spec: withPaths('/history') });
      expect([changed.status, changed.body.outcome, changed.body.id]).toEqual([200, 'updated', first.body.id]);
      const read = await call('GET', `/api/collections/${textOf(first.body.id)}`, { token: fixtures.admin });
      expect(read.body).toMatchObject({ name: 'Climate', openapi_spec: withPaths('/history') });
    });

    test('reports violations of the official schema, and rejects them in strict mode', async () => {
      const invalidDocument = { openapi: '3.0.3', info: { title: 'Departing' }, paths: {} };
      const { body } = await publish('?import_key=departing', { name: 'Departing', openapi_spec: invalidDocument });
      expect(body.warnings).toMatchObject({ total: 1, first: [{ pointer: '/info' }] });
      for (const submit of [publish, plan]) {
        expect(
          refusalOf(
            await submit('?import_key=departing&strict=true', { name: 'Departing', openapi_spec: invalidDocument }),
          ),
        ).toEqual([400, expect.stringMatching(/^Invalid request body: openapi_spec\/info /)]);
      }
    });
  });

  describe('a plan', () => {
    test('reports the changes, and makes none', async () => {
      const query = '?import_key=planned';
      const created = await plan(query, { name: 'Planned', openapi_spec: withPaths('/a') });
      expect([created.status, created.body]).toMatchObject([
        200,
        {
          outcome: 'created',
          id: null,
          changes: { document: true, operations_added: { total: 1, first: ['GET /a'] } },
        },
      ]);
      const { id } = (await publish(query, { name: 'Planned', openapi_spec: withPaths('/a') })).body;
      const next = { name: 'Replanned', openapi_spec: withPaths('/b') };
      const preview = await plan(query, next);
      expect(preview.body).toMatchObject({
        ...{ outcome: 'updated', id, name: 'Replanned', description_derived: false },
        changes: {
          name: { from: 'Planned', to: 'Replanned' },
          document: true,
          operations_added: { total: 1, first: ['GET /b'] },
          operations_removed: { total: 1, first: ['GET /a'] },
        },
      });
      expect((await plan(query, next)).body).toEqual(preview.body);
    });

    test('lists at most 100 operations, and counts all of them', async () => {
      const paths = Array.from({ length: 101 }, (_, at) => `/p${at}`);
      const { body } = await plan('?import_key=many', { name: 'Many', openapi_spec: withPaths(...paths) });
      const firstOperations = paths.slice(0, 100).map((path) => `GET ${path}`);
      expect(body.changes).toMatchObject({ operations_added: { total: 101, first: firstOperations } });
    });
  });

  test('an ambiguous name is rejected without an import key', async () => {
    const json = { name: 'Shared', openapi_spec: smallDocument };
    expect((await publish('?import_key=one', json)).status).toBe(200);
    expect((await publish('', json)).body.outcome).toBe('unchanged');
    const planned = (await plan('?import_key=two', json)).body;
    const [one, second] = [
      (await publish('?import_key=one', json)).body,
      (await publish('?import_key=two', json)).body,
    ];
    expect([planned.namesakes, second.namesakes]).toEqual([[one.id], [one.id]]);
    expect((await publish('?import_key=two', json)).body).not.toHaveProperty('namesakes');
    for (const submit of [publish, plan]) {
      const { status, body } = await submit('', json);
      expect([status, body.detail]).toEqual([409, expect.stringMatching(/^Several collections have this name: /)]);
    }
  });
};
