import { describe, expect, test } from 'vitest';
import { filledPlace, newPlace } from '../../test/movable.ts';
import { addressOf, move, refused, testMoves, testSources } from '../../test/move-tests.ts';
import type { SqlConfig } from '../index.ts';

describe('from sqlite to sqlite', () => testMoves('sqlite', 'sqlite'));
describe('a source on sqlite', () => testSources('sqlite'));

test('a file that does not exist is refused, and not created', async () => {
  const [from, to] = [await newPlace('sqlite'), await newPlace('sqlite')];
  await refused(from, to, `sqlite:${addressOf(from)} cannot be moved: the file does not exist`);
});

test('a server that does not answer is named, without its password', async () => {
  const from = await filledPlace('sqlite');
  const to: SqlConfig = { kind: 'postgresql', url: 'postgresql://portico:hunter2@127.0.0.1:9/portico' };
  const { message } = (await move(from, to).catch((error: unknown) => error)) as Error;
  expect(message).toMatch(/^The database at 127\.0\.0\.1:9\/portico cannot be reached: /);
});
