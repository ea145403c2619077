import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { anEntry, recordLog } from '@portico/contracts';
import SqliteDriver from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { startChild } from '../test/child.ts';
import { createMigratedDatabase, runOnDatabase, postgres } from '../test/with-postgresql.ts';
import { withMigratedFile } from '../test/with-stores.ts';
import { openSqlStores } from './index.ts';
import type { SqlDatabase } from './sql.ts';
import { createWriteCheck } from './write-check.ts';

const isLinux = process.platform === 'linux';
const outageMessage = 'The database is rejecting writes: the service is not ready until it accepts them again';

describe('a write check', () => {
  const createCheck = (write: () => Promise<unknown>, isWaitingAllowed = false) => {
    const log = recordLog();
    let writes = 0;
    const database = { write: () => write().finally(() => (writes += 1)) } as unknown as SqlDatabase;
    const check = createWriteCheck(database, { waitMs: 20, isWaitingAllowed, log });
    return { check, warnings: () => log.messages('warn'), infos: () => log.messages('info'), writes: () => writes };
  };

  test('does not write again for a while after a write has succeeded', async () => {
    const { check, writes, warnings } = createCheck(() => Promise.resolve(1));
    for (let time = 0; time < 3; time += 1) await check();
    expect([writes(), warnings()]).toEqual([1, []]);
  });

  test('writes every time while writes fail, and passes once one succeeds; logs the outage and its end once', async () => {
    const outcomes = [new Error('full'), new Error('still full'), null];
    const { check, warnings, infos } = createCheck(async () => {
      const outcome = outcomes.shift();
      if (outcome) throw outcome;
    });
    await expect(check()).rejects.toThrow('full');
    await expect(check()).rejects.toThrow('still full');
    await check();
    expect(warnings()).toEqual([outageMessage]);
    expect(infos()).toEqual(['The database accepts writes again']);
  });

  test('rejects if its write is slow, unless waiting is allowed', async () => {
    const neverSettle = () => new Promise<never>(() => undefined);
    await expect(createCheck(neverSettle).check()).rejects.toThrow('within 20 ms');
    await createCheck(neverSettle, true).check();
  });

  test('rejects the next time if its write fails late', async () => {
    const lateWrite = Promise.withResolvers<never>();
    const { check } = createCheck(() => lateWrite.promise, true);
    await check();
    lateWrite.reject(new Error('full'));
    await expect(check()).rejects.toThrow('full');
  });
});

test.skipIf(!isLinux)('on SQLite the probe fails while the file cannot grow, and passes once it can', () =>
  withMigratedFile(async (file) => {
    const { child, exited } = startChild('write-to-the-limit.ts', file);
    await once(child, 'message');
    const setFileSizeLimit = (bytes: number | 'unlimited') =>
      execFileSync('prlimit', [`--fsize=${bytes}:unlimited`, `--pid=${child.pid}`]);
    const state = async () => {
      const reply = once(child, 'message');
      child.send('state');
      return (await reply)[0] as unknown;
    };
    try {
      expect(await state()).toEqual({ isTaken: true, isReadable: true, isReady: true, warnings: [] });
      setFileSizeLimit(statSync(`${file}-wal`).size);
      // A check that has passed remains valid for a while.
      await expect
        .poll(state, { interval: 500 })
        .toEqual({ isTaken: false, isReadable: true, isReady: false, warnings: [outageMessage] });
      setFileSizeLimit('unlimited');
      expect(await state()).toMatchObject({ isTaken: true, isReady: true });
    } finally {
      child.kill();
      await exited;
    }
  }),
);

test('on SQLite the probe passes while a write may still wait for another process', () =>
  withMigratedFile(async (file) => {
    const { probe, close } = await openSqlStores({ kind: 'sqlite', file }, { writeWaitMs: 2_000 });
    const otherConnection = new SqliteDriver(file);
    otherConnection.exec('begin immediate');
    await probe.check();
    await expect
      .poll(() =>
        probe.check().then(
          () => 'ready',
          () => 'not ready',
        ),
      )
      .toBe('not ready');
    otherConnection.exec('commit');
    otherConnection.close();
    await probe.check();
    await close();
  }));

test.skipIf(!postgres)(
  'on PostgreSQL the probe fails while the server is read-only, and passes once it is not',
  async () => {
    const url = await createMigratedDatabase();
    const { stores, probe, close } = await openSqlStores({ kind: 'postgresql', url });
    const setReadOnly = (setting: 'on' | 'off') =>
      runOnDatabase(url, async (client) => {
        await client.query('set default_transaction_read_only = off');
        await client.query(`alter system set default_transaction_read_only = ${setting}`);
        await client.query('select pg_reload_conf()');
      });
    const isReady = () =>
      probe.check().then(
        () => true,
        () => false,
      );
    try {
      expect(await isReady()).toBe(true);
      await setReadOnly('on');
      await expect.poll(isReady, { interval: 500 }).toBe(false);
      await expect(stores.audit.append(anEntry(), null)).rejects.toThrow('read-only');
      await stores.audit.readPage({ source: 'all' }, 0, 1);
    } finally {
      await setReadOnly('off');
    }
    await expect.poll(isReady).toBe(true);
    await close();
  },
);
