import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from './faults/traffic.ts';
import { createInstallation } from './installation.ts';

/** Makes a database what the version before operations left. */
const undone = [
  "delete from schema_migrations where name in ('0008-operations', '0018-chunks')",
  'drop table operation_blocks',
  'drop table chunks',
  'alter table documents drop column content_id',
  'drop table operations',
  "delete from jobs where kind = 'operations'",
  'alter table collections drop column operations_digest',
  'alter table epochs drop column operations',
];

interface Progress {
  readonly operations: { readonly total: number; readonly done: number; readonly failed: number };
}

test('operations of collections from before appear in the background, and searches of before work meanwhile', async () => {
  const count = 40;
  const installation = await createInstallation({ RATE_LIMIT_DEFAULT: '1000000/60' });
  onTestFinished(() => installation.remove());
  const { api, compose, folder } = installation;
  const before = await compose();
  const admin = await installation.admin();
  for (let number = 1; number <= count; number++) {
    const paths = {
      [`/forecasts/${number}`]: { get: { summary: `Tell the weather of city ${number}`, responses: {} } },
    };
    const openapi_spec = { openapi: '3.0.3', info: { title: 'Weather', version: '1' }, paths };
    await api.ask(admin, 'POST', '/api/collections/', { name: `Weather ${number}`, openapi_spec });
  }
  const find = () => api.ask<unknown[]>(admin, 'POST', '/api/vector/search', { query: 'weather', k_limit: 100 });
  await eventually(find, (found) => found.length === count);
  await before.stop();
  const database = new DatabaseSync(join(folder, 'portico.sqlite'));
  for (const statement of undone) database.exec(statement);
  database.close();

  await compose();
  const findOperations = () =>
    api.ask<unknown[]>(admin, 'POST', '/api/operations/search', { query: 'tell the weather of a city', k_limit: 100 });
  const [found, operations, progress] = await Promise.all([
    find(),
    findOperations(),
    api.ask<Progress>(admin, 'GET', '/api/vector/reindex'),
  ]);
  expect(found).toHaveLength(count);
  expect(operations.length).toBeLessThanOrEqual(count);
  expect(progress.operations).toMatchObject({ total: count, failed: 0 });
  for (const path of ['/api/vector/reindex', '/ready']) {
    await eventually(
      () => api.ask<Progress>(admin, 'GET', path),
      (state) => state.operations.done === count,
    );
  }
  expect(await findOperations()).toHaveLength(count);
});
