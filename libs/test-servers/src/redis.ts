import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { join } from 'node:path';
import { absent } from './absent.ts';
import { onPath } from './binaries.ts';
import { startContainer } from './container.ts';
import { newServerFolder } from './server-folder.ts';
import { ServerProcess, type ServerControl } from './server-process.ts';
import { startWatchdog } from './watchdog.ts';

export interface TestRedis {
  /** The address with its password, if it has one. */
  url: string;
  /** Null for a server that we may not stop. `start()` after `stop()` begins empty: nothing is kept on disk. */
  control: ServerControl | null;
  /** Empties the database in the address. */
  flush(): Promise<void>;
  /** Sends a command that has one line of answer, and returns it without its type. Rejects if it is refused. */
  tell(...words: string[]): Promise<string>;
  close(): Promise<void>;
}

export interface RedisOptions {
  /** Further arguments for `redis-server`; they come last and so override ours. */
  args?: string[];
  password?: string;
  /** A Sentinel instead of a server, which needs the program on this machine. */
  sentinel?: true;
}

/**
 * Null if Redis is unavailable; see the top of `index.ts` for the search order. The server of TEST_REDIS_URL is used as
 * it is, and `flush()` empties its database, so test files that share it run one after another. It is not used for a
 * test that needs its own arguments or password.
 */
export async function startRedis(options: RedisOptions = {}): Promise<TestRedis | null> {
  const args = serverArguments(options);
  const given = process.env['TEST_REDIS_URL'];
  if (given && !options.args && !options.password && !options.sentinel)
    return { ...at(given), control: null, close: async () => {} };
  const program = onPath('redis-server');
  if (program) return privateRedis(program, args, options);
  return (
    (options.sentinel ? null : await containedRedis(args, options.password)) ??
    absent(
      'Redis',
      'install its server (Debian, Ubuntu: apt-get install redis-server), start a container engine, ' +
        'or name a server in TEST_REDIS_URL',
    )
  );
}

/** Nothing on disk, and no key is evicted: BullMQ requires that a full server answers "no memory left". */
const serverArguments = ({ args = [], password, sentinel }: RedisOptions) => [
  ...(sentinel ? [] : ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction']),
  ...(password ? ['--requirepass', password] : []),
  ...args,
];

async function privateRedis(program: string, args: string[], { password, sentinel }: RedisOptions): Promise<TestRedis> {
  const folder = newServerFolder('redis', null);
  const configuration = join(folder, 'sentinel.conf');
  // A Sentinel writes what it knows there.
  if (sentinel) writeFileSync(configuration, '');
  const watchdog = startWatchdog(folder, 'KILL');
  try {
    const server = await ServerProcess.start({
      program,
      arguments: (port) => [
        ...(sentinel ? [configuration, '--sentinel'] : []),
        ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, ...args],
      ],
      ready: sentinel ? 'Sentinel ID is' : 'Ready to accept connections',
      portTaken: 'Address already in use',
      stopSignals: { fast: 'SIGTERM', immediate: 'SIGKILL' },
      folder,
      account: null,
      watchdog,
    });
    return {
      ...at(address('127.0.0.1', server.port, password)),
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

async function containedRedis(args: string[], password: string | undefined): Promise<TestRedis | null> {
  const container = await startContainer({
    image: 'redis:7',
    port: 6379,
    command: ['redis-server', ...args],
    ready: [/Ready to accept connections/, 1],
  });
  if (!container) return null;
  return {
    ...at(address(container.host, container.port, password)),
    control: null,
    close: () => container.close(),
  };
}

const address = (host: string, port: number, password: string | undefined) =>
  `redis://${password ? `:${encodeURIComponent(password)}@` : ''}${host}:${port}/0`;

const at = (url: string) => ({
  url,
  flush: async () => void (await ask(new URL(url), ['FLUSHDB'])),
  tell: (...words: string[]) => ask(new URL(url), words),
});

/** Sends a command to the database in the address; returns its line of answer (RESP: `+OK`, `:5` or `-ERR …`). */
function ask(url: URL, command: string[]): Promise<string> {
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
    let answer = '';
    const end = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(2 * 60_000, () => end(new Error('Redis did not answer within two minutes.')));
    socket.on('error', end);
    socket.on('close', () => end(new Error('Redis closed the connection.')));
    socket.on('data', (bytes: Buffer) => {
      answer += bytes.toString();
      const lines = answer.split('\r\n').slice(0, -1);
      const refusal = lines.find((line) => line.startsWith('-'));
      if (refusal) end(new Error(`Redis refused: ${refusal}`));
      if (lines.length < commands.length) return;
      socket.destroy();
      resolve(lines.at(-1)?.slice(1) ?? '');
    });
    socket.write(commands.map(encode).join(''));
  });
}

const encode = (words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
