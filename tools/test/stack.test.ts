import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '@portico/composition';
import { readPages } from '../src/documents/markdown.ts';
import { readImageVariables } from '../src/image-variables.ts';
import { variablesBySubject } from '../src/reference/variables.ts';
import { root } from '../src/service-process.ts';

/** A service in the stack, as far as it can be checked without Docker. */
interface Service {
  readonly image: string;
  readonly build?: string;
  readonly pull_policy?: string;
  readonly user?: string;
  readonly restart?: string;
  readonly logging?: { readonly driver: string; readonly options: Readonly<Record<string, string>> };
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly network_mode?: string;
  readonly tmpfs?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly profiles?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
  readonly environment?: readonly string[] | Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string; readonly required?: boolean }>>;
  readonly deploy?: { readonly resources?: { readonly limits?: { readonly memory?: string; readonly pids?: number } } };
}

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const stack = parse(textOf('docker-compose.yml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, unknown>>;
};
const services = Object.entries(stack.services);
const dockerfile = textOf('Dockerfile');

/** Replaces `${NAME:-default}`, `${NAME:+replacement}` and `$$` as Compose does. */
const interpolate = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replace(/\$\$|\$\{(\w+)(?::([-+])([^}]*))?\}/g, (_all, name?: string, operator?: string, word: string = '') => {
    if (name === undefined) return '$';
    const value = variables[name] ?? '';
    if (operator === '+') return value ? word : '';
    return value || word;
  });

/**
 * Returns the variables in a container of the image in this stack. Names without a value are passed on if they are set.
 */
const environmentOf = (name: string, variables: Readonly<Record<string, string>> = {}): Record<string, string> => {
  const lines = stack.services[name]?.environment as readonly string[];
  const pairs = lines.map((line) => {
    const [key = '', ...value] = interpolate(line, variables).split('=');
    return [key, line.includes('=') ? value.join('=') : variables[key]] as const;
  });
  const definedPairs = pairs.filter((pair): pair is [string, string] => pair[1] !== undefined);
  return { ...readImageVariables(), ...Object.fromEntries(definedPairs) };
};

const variablesOf = (path: string): Record<string, string> =>
  Object.fromEntries(
    textOf(path)
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

describe.each(services)('the service %s', (_name, service) => {
  test('has a pinned version, or is built from these sources', () => {
    expect(service.image).toMatch(/^(portico:local|[\w./-]+:v?\d+\.\d+[\w.-]*(@sha256:[\da-f]{64})?)$/);
  });

  test('has limited rights, memory and processes', () => {
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    // Compose rejects `pids_limit` in addition to these limits as a contradiction.
    const { memory, pids } = service.deploy?.resources?.limits ?? {};
    expect(memory).toMatch(/^\d+[mg]$/);
    expect(pids).toBeGreaterThan(0);
    expect(service).not.toHaveProperty('pids_limit');
  });

  test('limits the size of its log', () => {
    expect(service.logging?.driver).toBe('json-file');
    expect(service.logging?.options).toMatchObject({ 'max-size': '10m', 'max-file': '3' });
  });

  test('is never pulled if it is built from these sources', () => {
    if (service.image === 'portico:local') expect(service.pull_policy).toBe('never');
  });

  test('listens only on this machine', () => {
    for (const port of service.ports ?? []) expect(interpolate(port, {})).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  test('has no secret among its variables', () => {
    const names = Array.isArray(service.environment)
      ? service.environment.map((line: string) => line.split('=')[0] ?? '')
      : Object.keys(service.environment ?? {});
    // Firebase's key is public: everyone who opens the console can see it.
    const checkedNames = names.filter((name) => name !== 'IDENTITY_FIREBASE_API_KEY');
    for (const name of checkedNames)
      expect(name).not.toMatch(/(PASSWORD|_KEY|SECRET|DATABASE_URL|REDIS_URL|PREVIOUS)$/);
  });

  test('mounts only files and volumes that exist', () => {
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('.')) expect(existsSync(join(root, source)), source).toBe(true);
      else expect(Object.keys(stack.volumes)).toContain(source);
    }
  });

  test('exits or has a health check, without which `up --wait` fails', () => {
    if (service.restart !== 'no') expect(service.healthcheck?.disable).toBeUndefined();
  });

  test('waits only for services that exist, and for health only if it is checked', () => {
    for (const [name, { condition, required }] of Object.entries(service.depends_on ?? {})) {
      const dependency = stack.services[name];
      expect(dependency, name).toBeDefined();
      // A required service would be missing while its profile is off.
      if (dependency?.profiles) expect(required).toBe(false);
      if (condition === 'service_healthy' && name !== 'http') expect(dependency?.healthcheck?.test, name).toBeDefined();
    }
  });
});

test('only the containers that need a server can reach it', () => {
  const networksOf = ({ networks, network_mode }: Service): readonly string[] =>
    network_mode === 'none' ? [] : networks instanceof Array ? networks : Object.keys(networks ?? { default: null });
  const membersOf = (network: string) =>
    services.filter(([, service]) => networksOf(service).includes(network)).map(([name]) => name);
  expect(membersOf('stores')).toEqual(['http', 'calls', 'worker', 'postgres', 'redis', 'qdrant']);
  // Ollama requires no key.
  expect(membersOf('embeddings')).toEqual(['http', 'calls', 'worker', 'ollama']);
  expect(membersOf('default')).toEqual(['proxy', 'http', 'calls', 'worker', 'mail', 'keycloak']);
  expect(stack.networks).toEqual({ default: null, stores: { internal: true }, embeddings: null });
});

test('a container that exits leaves no anonymous volume behind', () => {
  const { volumes = [], tmpfs = [] } = stack.services['keys'] ?? {};
  const [, imageVolume] = /^VOLUME (\S+)$/m.exec(dockerfile) ?? [];
  expect([...volumes.map((volume) => volume.split(':')[1]), ...tmpfs]).toContain(imageVolume);
});

test('Ollama runs as a user that owns its volume', () => {
  const ollama = stack.services['ollama'];
  expect(ollama?.user).toBe('1000:1000');
  expect(ollama?.volumes).toEqual(['ollama:/ollama/.ollama']);
  expect(ollama?.environment).toMatchObject({ HOME: '/ollama' });
  expect(stack.services['keys']?.volumes).toContain('ollama:/secrets/ollama');
  expect(ollama?.depends_on).toEqual({ keys: { condition: 'service_completed_successfully' } });
});

test('files that operators create according to the manual are private, and ignored by git', () => {
  const ignoredFiles = textOf('.gitignore').split('\n');
  const operations = readPages()
    .filter(({ path }) => path.startsWith('docs/operations/'))
    .map(({ text }) => text)
    .join('\n');
  const snippets = [...operations.matchAll(/^```sh\n([^`]*)^```/gm)]
    .map(([, lines = '']) => lines)
    .filter((lines) => / > \S+$/m.test(lines));
  for (const lines of snippets) expect(lines).toMatch(/^umask 077\b/);
  const writtenFiles = snippets.flatMap((lines) => [...lines.matchAll(/ > ([\w.-]+)$/gm)]);
  const mountedFiles = [...operations.matchAll(/(?:\[')?\.\/([\w.-]+)(?: \}|:)/g)];
  const names = [...writtenFiles, ...mountedFiles].map(([, name]) => name);
  expect(names).toEqual(['portico.dump', 'secrets.tar', 'smtp-url', 'certificate.pem']);
  for (const name of [...names, 'docker-compose.override.yml']) expect(ignoredFiles).toContain(`/${name}`);
});

test('every variable is passed to the service and the worker, or set for them', () => {
  const knownNames = variablesBySubject.flatMap(([, group]) => group.map(({ name }) => name));
  expect(knownNames).toContain('DATABASE_URL');
  for (const name of ['http', 'worker']) {
    const allVariables = Object.fromEntries(knownNames.map((variable) => [variable, 'given']));
    const passedNames = Object.keys(environmentOf(name, allVariables)).map((variable) =>
      variable.replace(/_(FILE|OFF)$/, ''),
    );
    const missingNames = knownNames.filter((variable) => !passedNames.includes(variable.replace(/_FILE$/, '')));
    // This address has to be on loopback, and production rejects the variable.
    expect(missingNames).toEqual(['FIREBASE_AUTH_EMULATOR_HOST']);
  }
});

test('only one service builds the image, because Compose would build the same name several times in parallel', () => {
  expect(services.filter(([, { build }]) => build).map(([name]) => name)).toEqual(['keys']);
});

test('the worker is healthy while its heartbeat is recent', () => {
  const heartbeat = join(createTemporaryFolder(onTestFinished), 'heartbeat');
  const file = environmentOf('worker')['HEARTBEAT_FILE'] ?? 'none';
  const [, check = ''] = stack.services['worker']?.healthcheck?.test ?? [];
  const runHealthCheck = () => spawnSync('sh', ['-c', interpolate(check, {}).replace(file, heartbeat)]).status;
  expect(runHealthCheck()).toBe(1);
  writeFileSync(heartbeat, 'now');
  expect(runHealthCheck()).toBe(0);
  const oldTime = Date.now() / 1_000 - 61;
  utimesSync(heartbeat, oldTime, oldTime);
  expect(runHealthCheck()).toBe(1);
});

describe('with the secrets of a first start', () => {
  const folder = createTemporaryFolder(afterAll);
  const runMakeSecrets = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [join(root, 'deploy/make-secrets.mjs'), ...args, folder], { encoding: 'utf8' });
  const readSecret = (name: string): string => readFileSync(join(folder, name), 'utf8').trim();
  const readAllSecrets = (): Record<string, string> =>
    Object.fromEntries(
      readdirSync(folder).flatMap((reader) =>
        readdirSync(join(folder, reader)).map((name) => [`${reader}/${name}`, readSecret(`${reader}/${name}`)]),
      ),
    );
  const configOf = (name: string, variables: Readonly<Record<string, string>> = {}) =>
    readConfig(
      Object.fromEntries(
        Object.entries(environmentOf(name, variables)).map(([key, value]) => [
          key,
          key.endsWith('_FILE') ? value.replace(/^\/secrets/, join(folder, 'portico')) : value,
        ]),
      ),
    );
  beforeAll(() => void runMakeSecrets('make'));

  test('they configure the service and the worker, with the local issuer and a server for everything else', () => {
    for (const name of ['http', 'worker']) {
      const config = configOf(name);
      expect(config).toMatchObject({
        production: true,
        host: '0.0.0.0',
        dataDir: '/data',
        database: {
          kind: 'postgresql',
          url: `postgresql://portico:${readSecret('postgres/password')}@postgres:5432/portico`,
        },
        redis: { url: `redis://:${readSecret('redis/password')}@redis:6379/0` },
        qdrant: { url: 'http://qdrant:6333', apiKey: readSecret('qdrant/api-key') },
        ollama: { url: 'http://ollama:11434', pull: true },
        mail: { smtpUrl: 'smtp://mail:1025?tls=off', folder: null },
        identity: { local: true, issuer: null },
        jobs: 'off',
        trustProxy: 1,
      });
      expect(config.warnings.join()).toContain('IDENTITY_LOCAL is on in production');
    }
    expect(readSecret('redis/redis.conf')).toBe(`requirepass ${readSecret('redis/password')}`);
  });

  test('an external issuer turns the local one off, and the variables for Keycloak name the imported realm', () => {
    const variables = variablesOf('deploy/identity.env');
    const realm = JSON.parse(textOf('deploy/keycloak/portico-realm.json')) as {
      readonly realm: string;
      readonly clients: readonly { readonly clientId: string }[];
      readonly users: readonly { readonly id: string; readonly email: string }[];
    };
    const { identity, firstAdmin, settings } = configOf('http', variables);
    const keycloak = stack.services['keycloak'];
    const host = (keycloak?.environment as Readonly<Record<string, string>>)['KC_HOSTNAME'];
    expect(identity).toMatchObject({
      local: false,
      issuer: { issuer: `${host}/realms/${realm.realm}`, audiences: [realm.clients[0]?.clientId] },
    });
    expect(realm.users.map(({ id, email }) => ({ uid: id, email }))).toContainEqual({
      uid: firstAdmin?.uid,
      email: firstAdmin?.email,
    });
    expect(settings.identityEmailCheck).toBe('verified');
    expect(keycloak?.profiles).toEqual([variables['COMPOSE_PROFILES']]);
  });

  test('the realm lets people sign in to the console of the stack, with PKCE, and to nothing else', () => {
    const { clients } = JSON.parse(textOf('deploy/keycloak/portico-realm.json')) as {
      readonly clients: readonly Readonly<Record<string, unknown>>[];
    };
    const origins = ['http://localhost:3000', 'http://127.0.0.1:3000'];
    const [signInMethod] = configOf('http', variablesOf('deploy/identity.env')).signInWays;
    expect(
      clients.find(({ clientId }) => clientId === (signInMethod?.kind === 'oidc' && signInMethod.clientId)),
    ).toMatchObject({
      publicClient: true,
      standardFlowEnabled: true,
      redirectUris: origins.map((origin) => `${origin}/console/sign-in/callback`),
      webOrigins: origins,
      attributes: {
        'pkce.code.challenge.method': 'S256',
        'post.logout.redirect.uris': origins.map((origin) => `${origin}/console/`).join('##'),
      },
    });
    const ports = stack.services['proxy']?.ports;
    expect(JSON.stringify(ports)).toContain('3000');
  });

  test('each secret is readable only by its owner, and a later start changes none', () => {
    const before = readAllSecrets();
    expect(runMakeSecrets('make')).toBe('');
    expect(readAllSecrets()).toEqual(before);
    for (const name of Object.keys(before)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o400);
    expect(new Set([before['postgres/password'], before['redis/password'], before['qdrant/api-key']]).size).toBe(3);
  });

  test('after two rotations, earlier secrets keys can still open data, until they are removed', () => {
    const firstKey = readSecret('portico/secrets.key');
    runMakeSecrets('rotate');
    const secondKey = readSecret('portico/secrets.key');
    runMakeSecrets('rotate');
    const thirdKey = readSecret('portico/secrets.key');
    expect(new Set([firstKey, secondKey, thirdKey]).size).toBe(3);
    expect(configOf('http').secretsKey).toMatchObject({ previous: [secondKey, firstKey] });
    runMakeSecrets('forget');
    expect(configOf('http').secretsKey).toMatchObject({ previous: [] });
    expect(readSecret('portico/secrets.key')).toBe(thirdKey);
  });

  test('an unknown command is rejected', () => {
    expect(() =>
      execFileSync(process.execPath, [join(root, 'deploy/make-secrets.mjs'), 'burn'], { stdio: 'ignore' }),
    ).toThrow();
  });
});

const hugePagesFile = '/sys/kernel/mm/transparent_hugepage/enabled';
const hugePages = existsSync(hugePagesFile) ? readFileSync(hugePagesFile, 'utf8') : '';

describe('the image', () => {
  test('can be built by any builder, on any base image', () => {
    expect(dockerfile).not.toMatch(/^#\s*syntax/im);
    expect(dockerfile).not.toContain('--mount');
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24\.\d+\.\d+-[\w-]+$/m);
    for (const [, base] of dockerfile.matchAll(/^FROM (\S+)/gm)) expect(base).toBe('${NODE_IMAGE}');
  });

  test.runIf(hugePages.includes('[madvise]'))('requests huge pages for large areas of memory', () => {
    const advisesHugePages = (megabytes: number) =>
      execFileSync(
        process.execPath,
        [
          '--eval',
          `globalThis.buffer = Buffer.alloc(${megabytes} * 2 ** 20, 1);
          const areas = require('node:fs').readFileSync('/proc/self/smaps', 'utf8').split(/^(?=\\w+-\\w+ )/m);
          const isLarge = (area) => Number(/^Size: +(\\d+) kB$/m.exec(area)?.[1]) >= 60_000;
          console.log(areas.some((area) => isLarge(area) && /^VmFlags:.* hg/m.test(area)));`,
        ],
        { encoding: 'utf8', env: { ...process.env, ...readImageVariables() } },
      ).trim();
    expect(advisesHugePages(64)).toBe('true');
    expect(advisesHugePages(1)).toBe('false');
  });

  test('runs as an unprivileged user, and has a health check', () => {
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    expect(dockerfile.lastIndexOf('USER ')).toBe(dockerfile.indexOf('USER '));
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  });

  test('contains every file that it names', () => {
    for (const [, paths = ''] of dockerfile.matchAll(/^COPY (?!--from)(.+)$/gm)) {
      for (const path of paths.split(' ').slice(0, -1)) expect(existsSync(join(root, path)), path).toBe(true);
    }
    for (const path of ['apps/http/src/main.ts', 'apps/worker/src/main.ts', 'apps/cli/src/main.ts']) {
      expect(`${dockerfile}${textOf('docker-compose.yml')}${textOf('deploy/portico')}`).toContain(path);
    }
  });

  test('contains no tests, and no files that only tests need', () => {
    const ignoredFiles = textOf('.dockerignore').split('\n');
    expect(ignoredFiles).toEqual(expect.arrayContaining(['*', '**/*.test.ts', '**/test', '**/node_modules']));
    for (const project of ['libs/contracts', 'libs/testing', 'libs/test-servers', 'libs/adapters/memory']) {
      expect(ignoredFiles).toContain(`${project}/*`);
    }
  });
});
