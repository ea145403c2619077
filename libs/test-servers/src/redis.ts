import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { join } from 'node:path';
import { skipUnlessRequired } from './skip-unless-required.ts';
import { findOnPath } from './binaries.ts';
import { startContainer } from './container.ts';
import { createServerFolder } from './server-folder.ts';
import { ServerProcess, type ServerControl } from './server-process.ts';
import { startWatchdog } from './watchdog.ts';

export interface TestRedis {
  /** The server's URL, including the password if there is one. */
  url: string;
  /**
   * Controls the server; null for a server that tests may not stop. After `stop()`, `start()` starts an empty server:
   * nothing is stored on disk.
   */
  control: ServerControl | null;
  /** Empties the database that the URL names. */
  flush(): Promise<void>;
  /** Sends a command with a one-line reply, which is returned without its type. Rejects if the reply is an error. */
  send(...words: string[]): Promise<string>;
  close(): Promise<void>;
}

export interface RedisOptions {
  /** Additional arguments for `redis-server`. They come last and therefore override ours. */
  args?: string[];
  password?: string;
  /** Whether to start a Sentinel instead of a server. A Sentinel requires `redis-server` on this machine. */
  sentinel?: true;
}

/**
 * Returns a Redis server, or null if none is available. See the top of `index.ts` for the search order. The server at
 * TEST_REDIS_URL is used unchanged, and `flush()` empties its database, so test files that share it must run one after
 * another. It is not used for a test that needs its own arguments or password.
 */
export async function startRedis(options: RedisOptions = {}): Promise<TestRedis | null> {
  const args = createServerArguments(options);
  const externalUrl = process.env['TEST_REDIS_URL'];
  if (externalUrl && !options.args && !options.password && !options.sentinel)
    return { ...clientOf(externalUrl), control: null, close: async () => {} };
  const program = findOnPath('redis-server');
  if (program) return startPrivateRedis(program, args, options);
  return (
    (options.sentinel ? null : await startContainerRedis(args, options.password)) ??
    skipUnlessRequired(
      'Redis',
      'install its server (Debian, Ubuntu: apt-get install redis-server), start a container engine, ' +
        'or name a server in TEST_REDIS_URL',
    )
  );
}

/**
 * Returns the arguments of a server that stores nothing on disk and evicts no keys: BullMQ requires a full server to
 * return an out-of-memory error.
 */
const createServerArguments = ({ args = [], password, sentinel }: RedisOptions) => [
  ...(sentinel ? [] : ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction']),
  ...(password ? ['--requirepass', password] : []),
  ...args,
];

async function startPrivateRedis(
  program: string,
  args: string[],
  { password, sentinel }: RedisOptions,
): Promise<TestRedis> {
  const folder = createServerFolder('redis', null);
  const configuration = join(folder, 'sentinel.conf');
  // A Sentinel writes its state to this file.
  if (sentinel) writeFileSync(configuration, '');
  const watchdog = startWatchdog(folder, 'KILL');
  try {
    const server = await ServerProcess.start({
      program,
      createArguments: (port) => [
        ...(sentinel ? [configuration, '--sentinel'] : []),
        ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, ...args],
      ],
      readyMessage: sentinel ? 'Sentinel ID is' : 'Ready to accept connections',
      portTakenMessage: 'Address already in use',
      stopSignals: { fast: 'SIGTERM', immediate: 'SIGKILL' },
      folder,
      account: null,
      watchdog,
    });
    return {
      ...clientOf(createRedisUrl('127.0.0.1', server.port, password)),
      control: server,
      async close() {
        await server.stop('immediate');
        await watchdog.release();
      },
    };
  } catch (error) {
    await watchdog.release();
    throw error;
  }
}

async function startContainerRedis(args: string[], password: string | undefined): Promise<TestRedis | null> {
  const container = await startContainer({
    image: 'redis:7',
    port: 6379,
    command: ['redis-server', ...args],
    readyMessage: [/Ready to accept connections/, 1],
  });
  if (!container) return null;
  return {
    ...clientOf(createRedisUrl(container.host, container.port, password)),
    control: null,
    close: () => container.close(),
  };
}

const createRedisUrl = (host: string, port: number, password: string | undefined) =>
  `redis://${password ? `:${encodeURIComponent(password)}@` : ''}${host}:${port}/0`;

const clientOf = (url: string) => ({
  url,
  flush: async () => void (await execute(new URL(url), ['FLUSHDB'])),
  send: (...words: string[]) => execute(new URL(url), words),
});

/**
 * Sends a command to the database that the URL names. Returns the line of its reply (RESP: `+OK` or `:5`) without
 * the type; rejects on an error (`-ERR …`).
 */
function execute(url: URL, command: string[]): Promise<string> {
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const commands = [
    ...(password ? [['AUTH', ...(user ? [user] : []), password]] : []),
    ['SELECT', url.pathname.slice(1) || '0'],
    command,
  ];
  const port = Number(url.port || 6379);
  const socket =
    url.protocol === 'rediss:'
      ? connectTls(port, url.hostname, { servername: url.hostname })
      : connect(port, url.hostname);
  return new Promise((resolve, reject) => {
    let reply = '';
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(2 * 60_000, () => fail(new Error('Redis did not respond within two minutes.')));
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('Redis closed the connection.')));
    socket.on('data', (bytes: Buffer) => {
      reply += bytes.toString();
      const lines = reply.split('\r\n').slice(0, -1);
      const errorLine = lines.find((line) => line.startsWith('-'));
      if (errorLine) fail(new Error(`Redis returned an error: ${errorLine}`));
      if (lines.length < commands.length) return;
      socket.destroy();
      resolve(lines.at(-1)?.slice(1) ?? '');
    });
    socket.write(commands.map(encode).join(''));
  });
}

const encode = (words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
