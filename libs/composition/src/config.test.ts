import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '@portico/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig, type Config } from './config.ts';
import { ConfigurationError } from './environment.ts';
import { defaultMailFrom } from './variable-types.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const production = {
  NODE_ENV: 'production',
  SECRETS_KEY: key,
  IDENTITY_ISSUER: 'https://id.example.com',
  IDENTITY_AUDIENCE: 'portico',
};

const problemsOf = (variables: Record<string, string>): readonly string[] => {
  try {
    readConfig(variables);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
};

test('with no variables set, the embedded default runs in development, with the local issuer and its admin', () => {
  const config = readConfig({});
  expect(config).toMatchObject({
    production: false,
    host: '127.0.0.1',
    port: 3000,
    serviceName: 'portico',
    jobs: 'inline',
    trustProxy: null,
    bodyLimitBytes: 262_144,
    specBodyLimitBytes: 33_554_432,
    auditRetentionDays: null,
    revisionRetention: { newest: 50, days: 400 },
    identity: { local: true, issuer: null },
    firstAdmin: { uid: 'local-admin', email: 'admin@localhost' },
    settings: { defaultLimit: { allowed: 600, windowSeconds: 60 }, anonymousLimit: null, failedCredentialsLimit: null },
    warnings: [],
  });
  expect(config.dataDir).toMatch(/^\/.*\/data$/);
});

test('admins are mailed about registrations unless ADMIN_NOTICES is off', () => {
  expect(readConfig({}).settings.adminNotices).toBe(true);
  expect(readConfig({ ADMIN_NOTICES: 'on' }).settings.adminNotices).toBe(true);
  expect(readConfig({ ADMIN_NOTICES: 'off' }).settings.adminNotices).toBe(false);
});

test('an empty variable counts as absent', () => {
  expect(readConfig({ PORT: '', IDENTITY_ISSUER: '', DATABASE_URL: '' })).toEqual(readConfig({}));
});

test('a limit may allow the maximum number of requests', () => {
  const { settings } = readConfig({ RATE_LIMIT_DEFAULT: '1000000000/1' });
  expect(settings.defaultLimit).toEqual({ allowed: 1_000_000_000, windowSeconds: 1 });
});

test('production limits anonymous requests by default, writes no emails to files, and warns about weak settings', () => {
  const config = readConfig(production);
  expect(config.settings).toMatchObject({
    anonymousLimit: { allowed: 600, windowSeconds: 60 },
    failedCredentialsLimit: { allowed: 60, windowSeconds: 60 },
  });
  expect(config.mail.folder).toBeNull();
  expect(config.identity.local).toBe(false);
  expect(config.warnings.join('\n')).toContain('IDENTITY_EMAIL_CHECK=verified');
  expect(readConfig({ ...production, IDENTITY_EMAIL_CHECK: 'verified' }).warnings.join('\n')).not.toContain(
    'IDENTITY_EMAIL_CHECK',
  );
});

test('access tokens are accepted once PUBLIC_URL and an issuer are set, and only then', () => {
  const issuer = { IDENTITY_ISSUER: 'https://id.example.com', IDENTITY_AUDIENCE: 'portico' };
  const readAccessTokens = (variables: Record<string, string>) => {
    const { identity, accessTokens } = readConfig(variables);
    return { audiences: identity.issuer?.accessAudiences, accessTokens };
  };
  const noAccessTokens = { audiences: [], accessTokens: null };
  const PUBLIC_URL = 'https://portico.example.com';
  const resource = `${PUBLIC_URL}/mcp`;
  const scopes = ['openid', 'email', 'profile'];
  const accessTokens = { resource, issuer: 'https://id.example.com', scopes };
  expect(readAccessTokens(issuer)).toEqual(noAccessTokens);
  expect(readAccessTokens({ PUBLIC_URL })).toEqual({ audiences: undefined, accessTokens: null });
  expect(readAccessTokens({ ...issuer, PUBLIC_URL })).toEqual({ audiences: [resource], accessTokens });
  expect(readAccessTokens({ ...issuer, PUBLIC_URL, MCP_AUDIENCE: 'one, https://two/mcp' })).toEqual({
    audiences: ['one', 'https://two/mcp'],
    accessTokens,
  });
  const ownScope = 'api://portico/mcp.use';
  expect(readAccessTokens({ ...issuer, PUBLIC_URL, MCP_SCOPES: ` openid  ${ownScope} ` }).accessTokens).toEqual({
    ...accessTokens,
    scopes: ['openid', ownScope],
  });
  expect(problemsOf({ MCP_AUDIENCE: 'one' })).toEqual([
    'PUBLIC_URL is missing: required with MCP_AUDIENCE',
    'IDENTITY_ISSUER is missing: required with MCP_AUDIENCE',
  ]);
});

test('tokens can be restricted to certain clients, and keys to a certain age', () => {
  const readIssuer = (variables: Record<string, string>) => readConfig({ ...production, ...variables }).identity.issuer;
  expect(readIssuer({})).toMatchObject({ authorizedParties: [], keysMaxAgeMs: 300_000 });
  expect(readIssuer({ IDENTITY_AUTHORIZED_PARTIES: 'console, tool' })?.authorizedParties).toEqual(['console', 'tool']);
  for (const seconds of [30, 3_600])
    expect(readIssuer({ IDENTITY_JWKS_MAX_AGE: `${seconds}` })?.keysMaxAgeMs).toBe(seconds * 1_000);
  for (const seconds of ['29', '3601', '30.5', ''])
    expect(problemsOf({ ...production, IDENTITY_JWKS_MAX_AGE: seconds })).toHaveLength(seconds === '' ? 0 : 1);
  expect(problemsOf({ ...production, IDENTITY_AUTHORIZED_PARTIES: 'console,' })).toEqual([
    expect.stringMatching(/^IDENTITY_AUTHORIZED_PARTIES: .*client ids .*separated by commas/),
  ]);
  expect(problemsOf({ IDENTITY_AUTHORIZED_PARTIES: 'console' })).toEqual([
    'IDENTITY_ISSUER is missing: required with IDENTITY_AUTHORIZED_PARTIES',
  ]);
});

test('an ID token may be for one of several audiences', () => {
  const audiencesOf = (IDENTITY_AUDIENCE: string) =>
    readConfig({ ...production, IDENTITY_AUDIENCE }).identity.issuer?.audiences;
  expect(audiencesOf('portico')).toEqual(['portico']);
  expect(audiencesOf('console, tool')).toEqual(['console', 'tool']);
  expect(problemsOf({ ...production, IDENTITY_AUDIENCE: 'console,,tool' })).toEqual([
    expect.stringMatching(/^IDENTITY_AUDIENCE: .*separated by commas/),
  ]);
});

test.each([
  ['https://portico.example.com/', 'https://portico.example.com/mcp'],
  ['HTTPS://Portico.Example.com:443//', 'https://portico.example.com/mcp'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/mcp'],
  ['https://example.com/portico/', 'https://example.com/portico/mcp'],
])('PUBLIC_URL may be %s', (PUBLIC_URL, resource) => {
  const { accessTokens, settings } = readConfig({ ...production, PUBLIC_URL });
  expect(accessTokens?.resource).toBe(resource);
  expect(`${settings.publicUrl}/mcp`).toBe(resource);
});

test('production requires a secrets key, and an issuer or IDENTITY_LOCAL=true', () => {
  expect(problemsOf({ NODE_ENV: 'production' })).toEqual([
    expect.stringContaining('IDENTITY_ISSUER is missing'),
    expect.stringContaining('SECRETS_KEY or SECRETS_KEY_FILE is missing'),
  ]);
  const config = readConfig({ NODE_ENV: 'production', SECRETS_KEY: key, IDENTITY_LOCAL: 'true' });
  expect(config.identity.local).toBe(true);
  expect(config.warnings.join('\n')).toContain('IDENTITY_LOCAL is on in production');
});

test('a configured issuer turns the local one off unless IDENTITY_LOCAL forces it on', () => {
  const issuer = { IDENTITY_ISSUER: 'https://id.example.com', IDENTITY_AUDIENCE: 'portico' };
  expect(readConfig(issuer)).toMatchObject({ identity: { local: false }, firstAdmin: null });
  expect(readConfig({ ...issuer, IDENTITY_LOCAL: 'true' }).identity.local).toBe(true);
});

test.each([
  ['PORT', '70000', 'from 0 to 65535'],
  ['PORT', 'http', 'from 0 to 65535'],
  ['NODE_ENV', 'prod', 'development, test, production'],
  ['BODY_LIMIT', '0kb', 'a size'],
  ['BODY_LIMIT', '300mb', 'at most 256mb'],
  ['RATE_LIMIT_DEFAULT', '600', 'requests/seconds'],
  ['RATE_LIMIT_DEFAULT', '0/60', 'requests/seconds'],
  ['RATE_LIMIT_DEFAULT', '600/2678401', 'at most 1000000000 requests and 2678400 seconds'],
  ['RATE_LIMIT_DEFAULT', '1000000001/60', 'at most 1000000000 requests and 2678400 seconds'],
  ['RATE_LIMIT_ANONYMOUS', 'none', 'off, or requests/seconds'],
  ['TRUST_PROXY', 'true', 'loopback'],
  ['TRUST_PROXY', '10.0.0.0/33', 'loopback'],
  ['IDENTITY_ISSUER', 'http://id.example.com', 'an https URL'],
  ['PUBLIC_URL', 'portico.example.com', 'https://HOST'],
  ['PUBLIC_URL', 'https:portico.example.com', 'https://HOST'],
  ['PUBLIC_URL', 'ftp://portico.example.com', 'https://HOST'],
  ['PUBLIC_URL', 'https://', 'https://HOST'],
  ['PUBLIC_URL', 'https://portico.example.com/?', 'without user, query and fragment'],
  ['PUBLIC_URL', 'https://portico.example.com/#top', 'without user, query and fragment'],
  ['PUBLIC_URL', 'https://portico.example.com /', 'https://HOST'],
  ['MCP_AUDIENCE', 'one,,two', 'separated by commas'],
  ['MCP_AUDIENCE', 'one two', 'separated by commas'],
  ['MCP_SCOPES', ' ', 'scopes separated by spaces'],
  ['MCP_SCOPES', 'openid "email"', 'scopes separated by spaces'],
  ['MCP_SCOPES', 'openid\temail', 'scopes separated by spaces'],
  ['MCP_SCOPES', 'x'.repeat(1_001), 'at most 1000 characters'],
  ['MCP_AUDIENCE', 'x'.repeat(513), 'at most 512 characters'],
  ['QDRANT_URL', 'qdrant:6333', 'http://… or https://…'],
  ['OLLAMA_URL', 'ftp://ollama', 'http://… or https://…'],
  ['OLLAMA_PULL', 'yes', 'true or false'],
  ['OLLAMA_MODEL_KEEP_ALIVE', 'long', 'a duration such as 24h'],
  ['OLLAMA_NUM_THREAD', '0', 'from 1 to 1024'],
  ['OLLAMA_NUM_THREAD', '1025', 'from 1 to 1024'],
  ['OPERATION_EMBEDDER', 'none', 'one of built-in, ollama'],
  ['EMBEDDING_MODEL', 'a model', 'the name of a model'],
  ['REGISTRATION_REQUIRES_TOKEN', 'yes', 'true or false'],
  ['IDENTITY_GROUPS_CLAIM', ' groups', 'the name of a claim'],
  ['IDENTITY_GROUPS_CLAIM', 'email', 'the name of a claim'],
  ['IDENTITY_GROUPS_CLAIM', 'x'.repeat(201), 'the name of a claim'],
  ['AUDIT_RETENTION_DAYS', '0', 'from 1 to 36500'],
  ['REVISIONS_KEEP', '0', 'from 1 to 10000'],
  ['REVISIONS_KEEP', '10001', 'from 1 to 10000'],
  ['REVISIONS_DAYS', '0', 'from 1 to 36500'],
  ['REVISIONS_DAYS', '36501', 'from 1 to 36500'],
  ['JOBS', 'on', 'inline, off'],
  ['ADMIN_NOTICES', 'true', 'on, off'],
  ['MAIL_FROM', 'Portico', 'a sender: one address, as ADDRESS or NAME <ADDRESS>'],
  ['MAIL_FROM', 'a@example.com, b@example.com', 'one address'],
  ['MAIL_FROM', 'Portico <>', 'one address'],
])('%s=%s is rejected, and the error describes the expected values', (name, value, allowed) => {
  const problems = problemsOf({ IDENTITY_AUDIENCE: '', [name]: value });
  const problem = problems.find((text) => text.startsWith(`${name}:`)) ?? '';
  expect(problem).toContain(JSON.stringify(value));
  expect(problem).toContain(allowed);
});

test.each(['groups', 'cognito:groups', 'https://example.com/groups', 'realm_access.roles', 'x'.repeat(200)])(
  'tokens may name groups in the claim %s',
  (claim) => {
    expect(readConfig({ IDENTITY_GROUPS_CLAIM: claim }).identity.groupsClaim).toBe(claim);
    expect(readConfig({}).identity.groupsClaim).toBeNull();
  },
);

test.each([
  ['off', null],
  ['2', 2],
  ['10.0.0.0/8, 192.168.1.1', ['10.0.0.0/8', '192.168.1.1']],
  ['loopback', ['127.0.0.0/8', '::1']],
  ['2001:db8::/32', ['2001:db8::/32']],
])('TRUST_PROXY=%s trusts %j', (value, trusted) => {
  expect(readConfig({ TRUST_PROXY: value }).trustProxy).toEqual(trusted);
});

test.each([
  ['300', 300],
  ['-1', -1],
  ['0', 0],
  ['24h', '24h'],
  ['1h30m', '1h30m'],
])('OLLAMA_MODEL_KEEP_ALIVE=%s is sent to Ollama as %j', (value, keepAlive) => {
  const { ollama } = readConfig({
    OLLAMA_URL: 'http://ollama',
    OLLAMA_MODEL_KEEP_ALIVE: value,
    OLLAMA_NUM_THREAD: '3',
  });
  expect(ollama).toMatchObject({ keepAlive, numThread: 3 });
});

test('one error names every problem and repeats no secret', () => {
  const problems = problemsOf({ PORT: 'x', JOBS: 'y', SECRETS_KEY: 'too-short-but-secret' });
  expect(problems).toHaveLength(3);
  expect(problems.join('\n')).not.toContain('too-short-but-secret');
  expect(problems.join('\n')).toContain('SECRETS_KEY: read a value of 20 characters, expected 32 bytes in base64');
});

test.each([
  ['DATABASE_URL', 'mysql://portico:hunter2@db/portico', 'sqlite:PATH, or postgresql://'],
  ['DATABASE_URL', 'postgresql:hunter2', 'sqlite:PATH, or postgresql://'],
  ['REDIS_URL', 'http://:hunter2@cache', 'redis://'],
  ['REDIS_URL', 'redis://:hunter2@cache/abc', 'redis://'],
  ['REDIS_URL', 'redis://:hunter2@cache/16.5', 'redis://'],
  ['REDIS_URL', 'redis://:hunter2@cache/-1', 'redis://'],
  ['REDIS_URL', 'rediss://:hunter2@cache:6390/1/2', 'redis://'],
  ['REDIS_URL', 'redis://:hunter2@cache/1?family=6', 'redis://'],
  ['SMTP_URL', 'mail:hunter2', 'an SMTP address'],
  ['SMTP_URL', 'smtp://portico:hunter2@mail.example.com?tls=off', 'an SMTP address'],
  ['QDRANT_API_KEY', 'hunter2 and more', 'printable ASCII'],
  ['QDRANT_URL', 'https://portico:hunter2@qdrant.example.com', 'http://… or https://… without a user'],
  ['OLLAMA_URL', 'ollama://portico:hunter2@ollama', 'http://… or https://…'],
  ['IDENTITY_ISSUER', 'http://portico:hunter2@id.example.com', 'an https URL'],
  ['IDENTITY_ISSUER', 'https://portico:hunter2@id.example.com', 'an https URL'],
  ['PUBLIC_URL', 'https://u:hunter2@portico.example.com', 'https://HOST or http://HOST, without user'],
  ['PUBLIC_URL', 'https://portico.example.com?hunter2@', 'https://HOST or http://HOST, without user'],
  ['IDENTITY_JWKS_URL', 'https://hunter2@id.example.com/keys', 'an https URL'],
  ['REDIS_URL', 'redis://:hunter2%zz@cache', 'redis://'],
])('%s is rejected, and the error does not repeat its value, which may contain a password', (name, value, allowed) => {
  const problem = problemsOf({ QDRANT_URL: 'http://qdrant', [name]: value }).join('\n');
  expect(problem).toContain(`${name}: read a value of ${value.length} characters, expected ${allowed}`);
  expect(problem).not.toContain('hunter2');
});

test('each server has a separate variable, which affects nothing else', () => {
  const defaultConfig = readConfig({});
  const cases: [Record<string, string>, Partial<Config>][] = [
    [{ DATABASE_URL: 'postgresql://db/portico' }, { database: { kind: 'postgresql', url: 'postgresql://db/portico' } }],
    [{ REDIS_URL: 'redis://cache:6380' }, { redis: { url: 'redis://cache:6380' } }],
    [{ REDIS_URL: 'rediss://cache/15' }, { redis: { url: 'rediss://cache/15' } }],
    [{ QDRANT_URL: 'http://qdrant', QDRANT_API_KEY: 'k3y' }, { qdrant: { url: 'http://qdrant', apiKey: 'k3y' } }],
    [
      { OLLAMA_URL: 'http://ollama:11434' },
      {
        ollama: {
          url: 'http://ollama:11434',
          model: 'nomic-embed-text',
          pull: true,
          keepAlive: null,
          numThread: null,
        },
      },
    ],
    [
      { SMTP_URL: 'smtp://mail' },
      { mail: { from: defaultConfig.mail.from, smtpUrl: 'smtp://mail', folder: null, templates: null } },
    ],
  ];
  for (const [variables, difference] of cases) {
    const config = readConfig(variables);
    expect({ ...config, warnings: [], jobWarnings: [] }).toEqual({ ...defaultConfig, ...difference });
    const causesWarning = ['DATABASE_URL', 'REDIS_URL', 'SMTP_URL'].some((name) => variables[name]);
    expect(config.warnings.length).toBe(causesWarning ? 1 : 0);
  }
});

test.each([undefined, 'portico@example.com', 'Portico <portico@localhost>'])('emails may come from %s', (from) => {
  expect(readConfig(from === undefined ? {} : { MAIL_FROM: from }).mail.from).toBe(from ?? defaultMailFrom);
});

test('the warnings about jobs are the warnings about mail', () => {
  expect(readConfig({ ...production, JOBS: 'off' }).jobWarnings).toEqual([expect.stringContaining('Mail is off')]);
  expect(readConfig({ SMTP_URL: 'smtp://mail' }).jobWarnings).toEqual([expect.stringContaining('MAIL_FROM')]);
  expect(readConfig({ DATABASE_URL: 'postgresql://db/portico', JOBS: 'off' }).jobWarnings).toEqual([]);
});

test('several HTTP processes need both PostgreSQL and Redis: only one of them causes a warning', () => {
  const readWarningText = (variables: Record<string, string>) => readConfig(variables).warnings.join('\n');
  expect(readWarningText({ DATABASE_URL: 'postgresql://db/portico' })).toContain('REDIS_URL is not set');
  expect(readWarningText({ REDIS_URL: 'redis://cache' })).toContain('DATABASE_URL is not a PostgreSQL database');
  expect(readWarningText({ DATABASE_URL: 'postgresql://db/portico', REDIS_URL: 'redis://cache' })).toBe('');
});

test('QDRANT_API_KEY without QDRANT_URL is an error', () => {
  expect(problemsOf({ QDRANT_API_KEY: 'k3y' })).toEqual([expect.stringContaining('QDRANT_URL is missing')]);
});

test('operations are embedded by the built-in embedder unless OPERATION_EMBEDDER is ollama, which requires OLLAMA_URL', () => {
  const ollama = { OLLAMA_URL: 'http://ollama' };
  expect(readConfig(ollama).operationEmbedder).toBe('built-in');
  expect(readConfig({ ...ollama, OPERATION_EMBEDDER: 'ollama' }).operationEmbedder).toBe('ollama');
  expect(problemsOf({ OPERATION_EMBEDDER: 'ollama' })).toEqual([expect.stringContaining('OLLAMA_URL is missing')]);
});

test('secrets may come from files; both forms together, or a missing file, are errors', () => {
  const file = join(createTemporaryFolder(onTestFinished), 'previous');
  writeFileSync(file, `${key}\n`);
  expect(readConfig({ SECRETS_KEY_PREVIOUS_FILE: file }).secretsKey.previous).toEqual([key]);
  writeFileSync(`${file}.url`, 'redis://:hunter2@cache\n');
  expect(readConfig({ REDIS_URL_FILE: `${file}.url` }).redis).toEqual({ url: 'redis://:hunter2@cache' });
  writeFileSync(`${file}.none`, '\n');
  expect(readConfig({ SECRETS_KEY_PREVIOUS_FILE: `${file}.none` }).secretsKey.previous).toEqual([]);
  expect(problemsOf({ SECRETS_KEY_PREVIOUS_FILE: `${file}-gone` })).toEqual([expect.stringContaining('ENOENT')]);
  expect(problemsOf({ SECRETS_KEY: key, SECRETS_KEY_FILE: file })).toEqual([expect.stringContaining('both set')]);
});

test('a first admin needs both a uid and an email address', () => {
  expect(problemsOf({ BOOTSTRAP_ADMIN_UID: 'root' })).toEqual([expect.stringContaining('required together')]);
  expect(readConfig({ BOOTSTRAP_ADMIN_UID: 'root', BOOTSTRAP_ADMIN_EMAIL: 'root@example.com' }).firstAdmin).toEqual({
    uid: 'root',
    email: 'root@example.com',
    issuer: localIssuer,
  });
});

const localIssuer = 'https://local-issuer.portico.invalid';
const externalIssuer = { IDENTITY_ISSUER: 'https://id.example.com', IDENTITY_AUDIENCE: 'portico' };
const bootstrapAdmin = { BOOTSTRAP_ADMIN_UID: 'root', BOOTSTRAP_ADMIN_EMAIL: 'root@example.com' };

test.each([
  [{}, [localIssuer]],
  [externalIssuer, ['https://id.example.com']],
  [{ ...externalIssuer, IDENTITY_LOCAL: 'true' }, [localIssuer, 'https://id.example.com']],
])('with %j the issuers %j are enabled', (variables, issuers) => {
  expect(readConfig(variables).settings.issuers).toEqual(issuers);
});

test('the local issuer and a configured issuer with the same name but different keys cannot both be enabled', () => {
  const issuerWithLocalName = { IDENTITY_ISSUER: localIssuer, IDENTITY_AUDIENCE: 'portico' };
  expect(problemsOf({ ...issuerWithLocalName, IDENTITY_LOCAL: 'true' })).toEqual([
    expect.stringContaining('two sets of keys'),
  ]);
  expect(readConfig(issuerWithLocalName).settings.issuers).toEqual([localIssuer]);
});

test('a configured first admin belongs to the configured issuer, the local admin to the local issuer', () => {
  const bothIssuers = { ...externalIssuer, IDENTITY_LOCAL: 'true' };
  expect(readConfig({ ...bothIssuers, ...bootstrapAdmin }).firstAdmin).toMatchObject({
    uid: 'root',
    issuer: 'https://id.example.com',
  });
  expect(readConfig(bothIssuers).firstAdmin).toMatchObject({ uid: 'local-admin', issuer: localIssuer });
  expect(readConfig(externalIssuer).firstAdmin).toBeNull();
});
