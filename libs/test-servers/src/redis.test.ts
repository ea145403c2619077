import { afterAll, describe, expect, it, vi } from 'vitest';
import { isAccepting, portOf, RawSocket } from '../test/raw-socket.ts';
import { startRedis } from './redis.ts';

const waitUntil = (check: () => unknown) => vi.waitFor(check, { timeout: 2 * 60_000, interval: 20 });

const redis = await startRedis();
afterAll(() => redis?.close());

/** Sends commands and returns the lines of their replies. Waits until the expected number of lines has arrived. */
async function sendCommands(url: string, commands: string[], lines = commands.length): Promise<string[]> {
  const socket = await RawSocket.open(portOf(url));
  socket.send(commands.map((command) => `${command}\r\n`).join(''));
  await waitUntil(() => expect(socket.receivedText.split('\r\n').length).toBeGreaterThan(lines));
  socket.close();
  return socket.receivedText.split('\r\n').slice(0, -1);
}

describe.skipIf(!redis?.control)('A private Redis', () => {
  it('responds, never evicts a key, and stores nothing on disk', async () => {
    expect(await sendCommands(redis!.url, ['PING'])).toEqual(['+PONG']);
    expect(await sendCommands(redis!.url, ['CONFIG GET maxmemory-policy'], 5)).toContain('noeviction');
    expect(await sendCommands(redis!.url, ['CONFIG GET save', 'CONFIG GET appendonly'], 10)).toEqual([
      ...['*2', '$4', 'save', '$0', ''],
      ...['*2', '$10', 'appendonly', '$2', 'no'],
    ]);
  });

  it('is emptied by flush', async () => {
    await sendCommands(redis!.url, ['SET flushed 1']);
    await redis!.flush();
    expect(await sendCommands(redis!.url, ['EXISTS flushed'])).toEqual([':0']);
  });

  it('does not respond while it is paused, on open or new connections, and responds afterwards', async () => {
    const openSocket = await RawSocket.open(portOf(redis!.url));
    await redis!.control!.pause();
    const newSocket = await RawSocket.open(portOf(redis!.url));
    openSocket.send('PING\r\n');
    newSocket.send('PING\r\n');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([openSocket.receivedText, newSocket.receivedText]).toEqual(['', '']);
    await redis!.control!.resume();
    await waitUntil(() =>
      expect([openSocket.receivedText, newSocket.receivedText]).toEqual(['+PONG\r\n', '+PONG\r\n']),
    );
    openSocket.close();
    newSocket.close();
  });

  it.each(['fast', 'immediate'] as const)(
    'refuses connections after a stop (%s) and restarts empty on the same port',
    async (mode) => {
      await sendCommands(redis!.url, ['SET kept 1']);
      const openSocket = await RawSocket.open(portOf(redis!.url));
      await redis!.control!.stop(mode);
      await openSocket.closed;
      expect(await isAccepting(portOf(redis!.url))).toBe(false);
      await redis!.control!.start();
      expect(await sendCommands(redis!.url, ['EXISTS kept'])).toEqual([':0']);
    },
  );

  it('accepts arguments and a password, which its URL contains and flush uses', async () => {
    const ownServer = await startRedis({ args: ['--maxmemory', '7mb'], password: 'p@ss/word' });
    expect(await sendCommands(ownServer!.url, ['PING'])).toEqual([expect.stringMatching(/^-NOAUTH/)]);
    expect(await sendCommands(ownServer!.url, ['AUTH p@ss/word', 'CONFIG GET maxmemory'], 6)).toContain('7340032');
    expect(decodeURIComponent(new URL(ownServer!.url).password)).toBe('p@ss/word');
    await ownServer!.flush();
    await ownServer!.close();
  });

  it('is separate from the server in the environment, which is used unchanged and left running', async () => {
    vi.stubEnv('TEST_REDIS_URL', `${redis!.url.slice(0, -1)}3`);
    const externalServer = await startRedis();
    const ownServer = await startRedis({ args: ['--databases', '1'] });
    vi.unstubAllEnvs();
    expect([externalServer!.control, portOf(externalServer!.url)]).toEqual([null, portOf(redis!.url)]);
    expect(portOf(ownServer!.url)).not.toBe(portOf(redis!.url));
    await sendCommands(redis!.url, ['SET other 1', 'SELECT 3', 'SET mine 1']);
    await externalServer!.flush();
    await externalServer!.close();
    await ownServer!.close();
    expect(await sendCommands(redis!.url, ['EXISTS other', 'SELECT 3', 'EXISTS mine'])).toEqual([':1', '+OK', ':0']);
  });

  it('starts concurrently with many others, each on its own port', async () => {
    const servers = await Promise.all(Array.from({ length: 12 }, () => startRedis()));
    expect(new Set(servers.map((server) => server!.url)).size).toBe(12);
    await Promise.all(servers.map((server) => server!.close()));
  });

  it('reports why it could not start', async () => {
    await expect(startRedis({ args: ['--no-such-setting', '1'] })).rejects.toThrow('no-such-setting');
  });
});
