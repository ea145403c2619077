import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { query } from '../test/psql.ts';
import { isAccepting, portOf, RawSocket } from '../test/raw-socket.ts';
import { startPostgres } from './postgres.ts';
import type { ServerControl } from './server-process.ts';

/** A message that asks whether the server supports TLS. The connection's backend replies "N". */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const waitUntil = (check: () => unknown) => vi.waitFor(check, { timeout: 2 * 60_000, interval: 20 });

const postgres = await startPostgres();
afterAll(() => postgres?.close());
afterEach(() => vi.unstubAllEnvs());

describe.skipIf(!postgres)('PostgreSQL for tests', () => {
  it('returns a new, empty UTF-8 database for each call', async () => {
    const urls = await Promise.all([
      postgres!.createDatabase(),
      postgres!.createDatabase(),
      postgres!.createDatabase(),
    ]);
    expect(new Set(urls).size).toBe(3);
    for (const url of urls) {
      expect(await query(url, 'SHOW server_encoding')).toBe('UTF8');
      await query(url, 'CREATE TABLE only_here (id int)');
    }
  });

  it('returns a copy of a database, and the copies are independent', async () => {
    const template = await postgres!.createDatabase();
    await query(template, 'CREATE TABLE copied AS SELECT 42 AS answer');
    const [copy, otherCopy] = await Promise.all([
      postgres!.createDatabase(template),
      postgres!.createDatabase(template),
    ]);
    await query(copy, 'UPDATE copied SET answer = 43');
    expect([await query(copy, 'TABLE copied'), await query(otherCopy, 'TABLE copied')]).toEqual(['43', '42']);
  });
});

describe.skipIf(!postgres?.control)('A private PostgreSQL', () => {
  const url = postgres?.url ?? '';
  const control = postgres?.control as ServerControl;

  it('requires its password', async () => {
    const wrongPasswordUrl = new URL(url);
    wrongPasswordUrl.password = 'wrong';
    await expect(query(wrongPasswordUrl.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
  });

  it('does not respond while it is paused, on open or new connections, and responds afterwards', async () => {
    const openSocket = await RawSocket.open(portOf(url));
    openSocket.send(sslRequest);
    await waitUntil(() => expect(openSocket.receivedText).toBe('N'));
    await control.pause();
    const newSocket = await RawSocket.open(portOf(url));
    newSocket.send(sslRequest);
    openSocket.send(sslRequest);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([openSocket.receivedText, newSocket.receivedText]).toEqual(['N', '']);
    await control.resume();
    // A connection must not repeat the request: if it does, it receives an error and is closed.
    await waitUntil(() => expect(newSocket.receivedText).toBe('N'));
    expect(await openSocket.closed).toBe('end');
    expect(openSocket.receivedText.slice(0, 2)).toBe('NE');
    newSocket.close();
  });

  it.each(['fast', 'immediate'] as const)(
    'refuses connections after a stop (%s), and restarts on the same port with all committed data',
    async (mode) => {
      const database = await postgres!.createDatabase();
      await query(database, 'CREATE TABLE kept AS SELECT 42 AS answer');
      const openSocket = await RawSocket.open(portOf(url));
      openSocket.send(sslRequest);
      await waitUntil(() => expect(openSocket.receivedText).toBe('N'));
      await control.stop(mode);
      await openSocket.closed;
      expect(await isAccepting(portOf(url))).toBe(false);
      await control.start();
      expect(await query(database, 'SELECT answer FROM kept')).toBe('42');
    },
  );

  it('can be stopped while it is paused, and while a connection never authenticates', async () => {
    await control.pause();
    const idleSocket = await RawSocket.open(portOf(url));
    await control.stop();
    await idleSocket.closed;
    expect(await isAccepting(portOf(url))).toBe(false);
    await control.start();
    expect(await query(url, 'SELECT 1')).toBe('1');
  });

  it('waits for the disk only if durability is requested, and then ignores the server in the environment', async () => {
    vi.stubEnv('TEST_POSTGRES_URL', url);
    const durable = await startPostgres({ durable: true });
    expect(portOf(durable!.url)).not.toBe(portOf(url));
    expect(await query(durable!.url, 'SHOW fsync')).toBe('on');
    expect(await query(url, 'SHOW fsync')).toBe('off');
    await durable!.close();
  });

  it('is used unchanged if the environment names it, and left running without the databases of the test', async () => {
    vi.stubEnv('TEST_POSTGRES_URL', url);
    const externalServer = await startPostgres();
    expect([externalServer!.url, externalServer!.control]).toEqual([url, null]);
    const name = new URL(await externalServer!.createDatabase()).pathname.slice(1);
    const countQuery = `SELECT count(*) FROM pg_database WHERE datname = '${name}'`;
    expect(await query(url, countQuery)).toBe('1');
    await externalServer!.close();
    expect(await query(url, countQuery)).toBe('0');
  });
});
