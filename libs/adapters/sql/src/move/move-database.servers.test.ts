import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFilledDatabase, createDatabaseConfig, runIn } from '../../test/movable.ts';
import { move, expectMoveError, testMoves, testSources } from '../../test/move-tests.ts';
import { postgres } from '../../test/with-postgresql.ts';
import { openSqlStores } from '../index.ts';

describe.skipIf(!postgres).each([
  ['sqlite', 'postgresql'],
  ['postgresql', 'sqlite'],
  ['postgresql', 'postgresql'],
] as const)('from %s to %s', testMoves);

describe.skipIf(!postgres)('a source on postgresql', () => testSources('postgresql'));

describe.skipIf(!postgres)('PostgreSQL', () => {
  test('is not moved while another program writes to it', async () => {
    const [from, to] = [await createFilledDatabase('postgresql'), await createDatabaseConfig('sqlite')];
    const client = new Client({ connectionString: from.kind === 'postgresql' ? from.url : '' });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('begin; update epochs set catalog = catalog + 1');
    await expectMoveError(from, to, 'another program is writing to it');
  });

  test('cannot be written to while it is being moved', async () => {
    const [from, to] = [await createFilledDatabase('postgresql'), await createDatabaseConfig('sqlite')];
    const writes: Promise<unknown>[] = [];
    await move(from, to, () => {
      if (writes.length > 0) return;
      const write = runIn(from, "set lock_timeout = 50; update settings set value = 'y'").catch(
        (error: unknown) => error,
      );
      writes.push(write);
    });
    expect(String(await writes[0])).toContain('lock timeout');
  });

  test('is rejected at the end if a process has connected in the meantime', async () => {
    const [from, to] = [await createFilledDatabase('postgresql'), await createDatabaseConfig('sqlite')];
    const url = from.kind === 'postgresql' ? from.url : '';
    const client = new Client({ connectionString: url, application_name: 'portico' });
    onTestFinished(() => client.end());
    let pendingConnect: Promise<unknown> | null = null;
    const pendingMove = move(from, to, () => void (pendingConnect ??= client.connect()));
    await expect(pendingMove).rejects.toThrow('cannot be moved: it is in use by a process');
    await expect(openSqlStores(to)).rejects.toThrow('it is being filled');
  });

  test('reports the rows that it does not accept', async () => {
    const [from, to] = [await createFilledDatabase('sqlite'), await createDatabaseConfig('postgresql')];
    await runIn(from, "update settings set value = 'a' || char(0) || 'b' where name = 'pepper'");
    await expectMoveError(from, to, /rejected the rows of settings with name "pepper": The database rejected a value/);
    await expect(openSqlStores(to)).rejects.toThrow('it is being filled');
  });
});
