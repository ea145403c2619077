import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { ConfigurationError } from './environment.ts';

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

test('with nothing set the embedded default runs in development, with the local issuer and its admin', () => {
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
    identity: { local: true, issuer: null },
    firstAdmin: { uid: 'local-admin', email: 'admin@localhost' },
    settings: { defaultLimit: { allowed: 600, windowSeconds: 60 }, anonymousLimit: null, failedCredentialsLimit: null },
    warnings: [],
  });
  expect(config.dataDir).toMatch(/^\/.*\/data$/);
});

test('an empty variable is as if absent', () => {
  expect(readConfig({ PORT: '', IDENTITY_ISSUER: '', DATABASE_URL: '' })).toEqual(readConfig({}));
});

test('production counts strangers by default, writes no mails to files, and says what is not recommended', () => {
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

test('production needs a secrets key and an issuer, or the word that the local one is meant', () => {
  expect(problemsOf({ NODE_ENV: 'production' })).toEqual([
    expect.stringContaining('IDENTITY_ISSUER is missing'),
    expect.stringContaining('SECRETS_KEY or SECRETS_KEY_FILE is missing'),
  ]);
  const forced = readConfig({ NODE_ENV: 'production', SECRETS_KEY: key, IDENTITY_LOCAL: 'true' });
  expect(forced.identity.local).toBe(true);
  expect(forced.warnings.join('\n')).toContain('IDENTITY_LOCAL is on in production');
});

test('an issuer turns the local one off, unless that is forced', () => {
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
  ['RATE_LIMIT_DEFAULT', '600/2678401', 'at most 2678400 seconds'],
  ['RATE_LIMIT_ANONYMOUS', 'none', 'off, or requests/seconds'],
  ['TRUST_PROXY', 'true', 'loopback'],
  ['TRUST_PROXY', '10.0.0.0/33', 'loopback'],
  ['IDENTITY_ISSUER', 'http://id.example.com', 'an https address'],
  ['DATABASE_URL', 'mysql://x', 'sqlite:PATH'],
  ['DATABASE_URL', 'postgresql://x', 'not supported yet'],
  ['REGISTRATION_REQUIRES_TOKEN', 'yes', 'true or false'],
  ['AUDIT_RETENTION_DAYS', '0', 'from 1 to 36500'],
  ['JOBS', 'on', 'inline, off'],
])('%s=%s is refused with what is allowed', (name, value, allowed) => {
  const problems = problemsOf({ IDENTITY_AUDIENCE: '', [name]: value });
  const problem = problems.find((text) => text.startsWith(`${name}:`)) ?? '';
  expect(problem).toContain(JSON.stringify(value));
  expect(problem).toContain(allowed);
});

test.each([
  ['off', null],
  ['2', 2],
  ['10.0.0.0/8, 192.168.1.1', ['10.0.0.0/8', '192.168.1.1']],
  ['loopback', ['127.0.0.0/8', '::1']],
  ['2001:db8::/32', ['2001:db8::/32']],
])('TRUST_PROXY=%s trusts %j', (value, trusted) => {
  expect(readConfig({ TRUST_PROXY: value }).trustProxy).toEqual(trusted);
});

test('every fault is named at once, and no secret is repeated', () => {
  const problems = problemsOf({ PORT: 'x', JOBS: 'y', SECRETS_KEY: 'too-short-but-secret' });
  expect(problems).toHaveLength(3);
  expect(problems.join('\n')).not.toContain('too-short-but-secret');
  expect(problems.join('\n')).toContain('SECRETS_KEY: read a value of 20 characters, allowed is 32 bytes in base64');
});

test('a server that this version cannot use is refused, not ignored', () => {
  expect(problemsOf({ REDIS_URL: 'redis://localhost' })).toEqual([expect.stringContaining('REDIS_URL is set')]);
});

test('secrets may come from files; both forms at once, or a file that is not there, are faults', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'portico-config-')), 'previous');
  writeFileSync(file, `${key}\n`);
  expect(readConfig({ SECRETS_KEY_PREVIOUS_FILE: file }).secretsKey.previous).toEqual([key]);
  expect(problemsOf({ SECRETS_KEY_PREVIOUS_FILE: `${file}-gone` })).toEqual([expect.stringContaining('ENOENT')]);
  expect(problemsOf({ SECRETS_KEY: key, SECRETS_KEY_FILE: file })).toEqual([expect.stringContaining('both set')]);
});

test('a first admin is named by uid and e-mail together', () => {
  expect(problemsOf({ BOOTSTRAP_ADMIN_UID: 'root' })).toEqual([expect.stringContaining('required together')]);
  expect(readConfig({ BOOTSTRAP_ADMIN_UID: 'root', BOOTSTRAP_ADMIN_EMAIL: 'root@example.com' }).firstAdmin).toEqual({
    uid: 'root',
    email: 'root@example.com',
  });
});
