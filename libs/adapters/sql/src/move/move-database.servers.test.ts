import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { filledDatabase, newDatabaseConfig, runIn } from '../../test/movable.ts';
import { move, expectRefused, testMoves, testSources } from '../../test/move-tests.ts';
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
    const [from, to] = [await filledDatabase('postgresql'), await newDatabaseConfig('sqlite')];
    const client = new Client({ connectionString: from.kind === 'postgresql' ? from.url : '' });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('begin; update epochs set catalog = catalog + 1');
    await expectRefused(from, to, 'another program is writing to it');
  });

  test('cannot be written while it is moved', async () => {
    const [from, to] = [await filledDatabase('postgresql'), await newDatabaseConfig('sqlite')];
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

  test('is refused at the end if a process has connected in the meantime', async () => {
    const [from, to] = [await filledDatabase('postgresql'), await newDatabaseConfig('sqlite')];
    const url = from.kind === 'postgresql' ? from.url : '';
    const client = new Client({ connectionString: url, application_name: 'portico' });
    onTestFinished(() => client.end());
    let connected: Promise<unknown> | null = null;
    const connecting = move(from, to, () => void (connected ??= client.connect()));
    await expect(connecting).rejects.toThrow('cannot be moved: a process uses it');
    await expect(openSqlStores(to)).rejects.toThrow('it is being filled');
  });

  test('reports the rows that it does not accept', async () => {
    const [from, to] = [await filledDatabase('sqlite'), await newDatabaseConfig('postgresql')];
    await runIn(from, "update settings set value = 'a' || char(0) || 'b' where name = 'pepper'");
    await expectRefused(from, to, /did not take the rows of settings with name "pepper": The database refused a value/);
    await expect(openSqlStores(to)).rejects.toThrow('it is being filled');
  });
});
