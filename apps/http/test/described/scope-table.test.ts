import { expect, test } from 'vitest';
import { pages } from './scope-table.ts';

test('docs/service-accounts.md has the scopes of the route table', () => {
  const { actual, right } = pages();
  expect(actual, 'The table is not that of the routes: run "npm run docs:scopes".').toBe(right);
  expect(right).toContain('| `catalog:write` | `POST /api/collections/`');
});
