import { describe, expect, test } from 'vitest';
import { createFilledDatabase, createDatabaseConfig } from '../../test/movable.ts';
import { addressOf, move, expectMoveError, testMoves, testSources } from '../../test/move-tests.ts';
import type { SqlConfig } from '../index.ts';

describe('from sqlite to sqlite', () => testMoves('sqlite', 'sqlite'));
describe('a source on sqlite', () => testSources('sqlite'));

test('a file that does not exist is rejected, and not created', async () => {
  const [from, to] = [await createDatabaseConfig('sqlite'), await createDatabaseConfig('sqlite')];
  await expectMoveError(from, to, `sqlite:${addressOf(from)} cannot be moved: the file does not exist`);
});

test('an unreachable server is named, without its password', async () => {
  const from = await createFilledDatabase('sqlite');
  const to: SqlConfig = { kind: 'postgresql', url: 'postgresql://portico:hunter2@127.0.0.1:9/portico' };
  const { message } = (await move(from, to).catch((error: unknown) => error)) as Error;
  expect(message).toMatch(/^The database at 127\.0\.0\.1:9\/portico cannot be reached: /);
});
