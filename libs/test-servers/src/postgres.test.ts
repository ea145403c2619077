import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { query } from '../test/psql.ts';
import { accepts, portOf, RawSocket } from '../test/raw-socket.ts';
import { startPostgres } from './postgres.ts';
import type { ServerControl } from './server-process.ts';

/** A message that asks whether the server supports TLS. The connection's backend replies "N". */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const until = (check: () => unknown) => vi.waitFor(check, { timeout: 2 * 60_000, interval: 20 });

const postgres = await startPostgres();
afterAll(() => postgres?.close());
afterEach(() => vi.unstubAllEnvs());

describe.skipIf(!postgres)('PostgreSQL for tests', () => {
  it('returns a new, empty UTF-8 database for each call', async () => {
    const urls = await Promise.all([postgres!.newDatabase(), postgres!.newDatabase(), postgres!.newDatabase()]);
    expect(new Set(urls).size).toBe(3);
    for (const url of urls) {
      expect(await query(url, 'SHOW server_encoding')).toBe('UTF8');
      await query(url, 'CREATE TABLE only_here (id int)');
    }
  });

  it('returns a copy of a database, and the copies are independent', async () => {
    const template = await postgres!.newDatabase();
    await query(template, 'CREATE TABLE copied AS SELECT 42 AS answer');
    const [one, other] = await Promise.all([postgres!.newDatabase(template), postgres!.newDatabase(template)]);
    await query(one, 'UPDATE copied SET answer = 43');
    expect([await query(one, 'TABLE copied'), await query(other, 'TABLE copied')]).toEqual(['43', '42']);
  });
});

describe.skipIf(!postgres?.control)('A private PostgreSQL', () => {
  const url = postgres?.url ?? '';
  const control = postgres?.control as ServerControl;

  it('requires its password', async () => {
    const stranger = new URL(url);
    stranger.password = 'wrong';
    await expect(query(stranger.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
  });

  it('does not respond while it is paused, on open or new connections, and responds afterwards', async () => {
    const open = await RawSocket.open(portOf(url));
    open.send(sslRequest);
    await until(() => expect(open.received).toBe('N'));
    await control.pause();
    const newSocket = await RawSocket.open(portOf(url));
    newSocket.send(sslRequest);
    open.send(sslRequest);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([open.received, newSocket.received]).toEqual(['N', '']);
    await control.resume();
    // A connection must not repeat the request: if it does, it receives an error and is closed.
    await until(() => expect(newSocket.received).toBe('N'));
    expect(await open.closed).toBe('end');
    expect(open.received.slice(0, 2)).toBe('NE');
    newSocket.close();
  });

  it.each(['fast', 'immediate'] as const)(
    'refuses connections after a stop (%s), and restarts on the same port with all committed data',
    async (how) => {
      const database = await postgres!.newDatabase();
      await query(database, 'CREATE TABLE kept AS SELECT 42 AS answer');
      const open = await RawSocket.open(portOf(url));
      open.send(sslRequest);
      await until(() => expect(open.received).toBe('N'));
      await control.stop(how);
      await open.closed;
      expect(await accepts(portOf(url))).toBe(false);
      await control.start();
      expect(await query(database, 'SELECT answer FROM kept')).toBe('42');
    },
  );

  it('can be stopped while it is paused, and while a connection never authenticates', async () => {
    await control.pause();
    const silent = await RawSocket.open(portOf(url));
    await control.stop();
    await silent.closed;
    expect(await accepts(portOf(url))).toBe(false);
    await control.start();
    expect(await query(url, 'SELECT 1')).toBe('1');
  });

  it('waits for the disk only if durability is requested, and then ignores the server of the environment', async () => {
    vi.stubEnv('TEST_POSTGRES_URL', url);
    const durable = await startPostgres({ durable: true });
    expect(portOf(durable!.url)).not.toBe(portOf(url));
    expect(await query(durable!.url, 'SHOW fsync')).toBe('on');
    expect(await query(url, 'SHOW fsync')).toBe('off');
    await durable!.close();
  });

  it('is used unchanged if the environment names it, and left running without the databases of the test', async () => {
    vi.stubEnv('TEST_POSTGRES_URL', url);
    const external = await startPostgres();
    expect([external!.url, external!.control]).toEqual([url, null]);
    const name = new URL(await external!.newDatabase()).pathname.slice(1);
    const countQuery = `SELECT count(*) FROM pg_database WHERE datname = '${name}'`;
    expect(await query(url, countQuery)).toBe('1');
    await external!.close();
    expect(await query(url, countQuery)).toBe('0');
  });
});
