import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isLoopback } from '@portico/dependencies';
import { allowedMax, isPlainLine, windowSecondsMax } from '@portico/domain';
import { localIssuerName } from '@portico/identity';
import { readSender, readSmtpUrl } from '@portico/mail';
import { z } from 'zod';
import { consoleClientId, consoleScopes, emulatorHost, firebaseApiKey, signInContradictions } from './sign-in.ts';

/** Variables by name, as in `process.env`; unknown ones are ignored. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Names every invalid variable, what was read (unless it is secret) and what is expected. */
export class ConfigurationError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/** URLs are among them because most hold a password. Each may also come as `NAME_FILE`. */
const secrets = [
  'SECRETS_KEY',
  'SECRETS_KEY_PREVIOUS',
  'DATABASE_URL',
  'REDIS_URL',
  'QDRANT_API_KEY',
  'SMTP_URL',
] as const;
export const isSecretVariable = (name: string): boolean => (secrets as readonly string[]).includes(name);
/** Any other URL may hold a password too. */
const isSecret = (name: string, value: string): boolean =>
  isSecretVariable(name) || (/_(URL|ISSUER|ENDPOINT)$/.test(name) && value.includes('@'));

const integer = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `a whole number from ${least} to ${most}`)
    .transform(Number)
    .pipe(
      z
        .number()
        .min(least, `a whole number from ${least} to ${most}`)
        .max(most, `a whole number from ${least} to ${most}`),
    );

const choice = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum(values, `one of ${values.join(', ')}`);

/** Seconds, or a duration in Ollama's notation; a negative number means forever. */
const keepAlive = z
  .string()
  .regex(/^(-?\d{1,9}|(\d{1,9}(\.\d{1,9})?(ms|s|m|h))+)$/, 'seconds, a duration such as 24h, or -1 for forever')
  .transform((text) => (/^-?\d+$/.test(text) ? Number(text) : text));
const truth = z.enum(['true', 'false'], 'true or false').transform((value) => value === 'true');

const limit = z
  .string()
  .regex(/^[1-9]\d{0,9}\/[1-9]\d{0,6}$/, 'requests/seconds, such as 600/60')
  .transform((text) => {
    const [allowed, windowSeconds] = text.split('/').map(Number);
    return { allowed: allowed ?? 0, windowSeconds: windowSeconds ?? 0 };
  })
  .refine(
    ({ allowed, windowSeconds }) => allowed <= allowedMax && windowSeconds <= windowSecondsMax,
    `requests/seconds with at most ${allowedMax} requests and ${windowSecondsMax} seconds`,
  );

const units = { b: 1, kb: 1_024, mb: 1_048_576 } as const;
const size = z
  .string()
  .toLowerCase()
  .regex(/^[1-9]\d{0,8}(b|kb|mb)?$/, 'a size such as 256kb or 32mb')
  .transform((text) => Number.parseInt(text, 10) * units[(/[a-z]+$/.exec(text)?.[0] ?? 'b') as keyof typeof units])
  .refine((bytes) => bytes <= 268_435_456, 'a size of at most 256mb');

const issuerUrl = z.string().refine((text) => {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}, 'an https address, or http on loopback, without user and password');

/** The address without its last slash, as `URL` spells it: clients compare the spelling (RFC 9728, section 3.3). */
const publicUrl = z
  .string()
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && /^https?:\/\/[^\s?#]+$/i.test(text) && url.username === '' && url.password === '';
  }, 'https://HOST or http://HOST, without user, query and fragment')
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

/** Claims that the service reads itself: none of them names groups. */
const reservedClaims = [
  'iss',
  'sub',
  'aud',
  'azp',
  'exp',
  'nbf',
  'iat',
  'auth_time',
  'email',
  'email_verified',
  'cnf',
  'events',
];

const names = (of: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine(
      (parts) => parts.every((part) => /^[\x21-\x7e]{1,512}$/.test(part)),
      `${of} of at most 512 characters without blanks, separated by commas`,
    );
const audiences = names('audiences');
const authorizedParties = names('client ids');

const address = (schemes: readonly string[], allowed: string, isAllowed: (url: URL) => boolean = () => true) =>
  z.string().refine((text) => {
    const url = URL.parse(text);
    return url !== null && schemes.includes(url.protocol) && url.hostname !== '' && isAllowed(url);
  }, allowed);

/** `URL` lets a stray `%` through. */
const isPercentEncoded = (text: string): boolean => {
  try {
    return decodeURIComponent(text) !== '' || text === '';
  } catch {
    return false;
  }
};

const redisUrl = address(
  ['redis:', 'rediss:'],
  'redis://[USER:PASSWORD@]HOST[:PORT][/NUMBER], or rediss://… for TLS; NUMBER is the database; no ?options',
  ({ pathname, search, username, password }) =>
    /^\/?\d*$/.test(pathname) && search === '' && isPercentEncoded(username + password),
);

/** Qdrant has no users. Dropping a password silently would send its operator looking in the wrong place. */
const qdrantUrl = address(['http:', 'https:'], 'http://… or https://… without a user').refine((text) => {
  const url = URL.parse(text);
  return url === null || (url.username === '' && url.password === '');
}, 'http://… or https://… without a user: the key is QDRANT_API_KEY');

/** Validates with the adapter's own parser, whose error says what is wrong. */
const readBy = (read: (text: string) => unknown, what: string) =>
  z.string().superRefine((text, context) => {
    try {
      read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: `${what}: ${(error as Error).message}` });
    }
  });

const key = z.string().refine((text) => /^[0-9A-Za-z+/]{43}=$/.test(text), '32 bytes in base64');

const proxies = 'off, a number of proxies, loopback, or addresses and networks such as 10.0.0.0/8, separated by commas';

const isNetwork = (text: string): boolean => {
  const [address = '', prefix = '0'] = text.split('/');
  const bits = { 4: 32, 6: 128 }[isIP(address)];
  return bits !== undefined && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
};

/** The trusted proxies; an empty list for `off`. */
const networks = z
  .string()
  .transform((text) => (text === 'off' ? [] : text.split(',').map((part) => part.trim())))
  .refine(
    (parts) =>
      (parts.length === 1 && /^\d{1,2}$/.test(parts[0] ?? '')) ||
      parts.every((part) => part === 'loopback' || isNetwork(part)),
    proxies,
  );

const email = z.string().regex(/^[^\s@,<>]{1,64}@[^\s@,<>]{1,189}$/, 'an e-mail address');

/** Good enough for mails in files; with an SMTP server it causes a warning. */
export const defaultMailFrom = 'Portico <portico@localhost>';

const collector = address(['http:', 'https:'], 'http://… or https://…');

const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplerNames)[number];
const databaseAddress = z.union(
  [
    z
      .string()
      .regex(/^sqlite:.+$/)
      .transform((text) => ({ kind: 'sqlite' as const, file: text.replace(/^sqlite:(\/\/)?/, '') })),
    address(['postgresql:', 'postgres:'], '').transform((url) => ({ kind: 'postgresql' as const, url })),
  ],
  'sqlite:PATH, or postgresql://USER:PASSWORD@HOST:PORT/DATABASE',
);

/** Parses what `DATABASE_URL` may be; null if it is none. */
export const parseDatabaseAddress = (text: string): z.infer<typeof databaseAddress> | null =>
  databaseAddress.safeParse(text).data ?? null;

const schema = z.object({
  NODE_ENV: choice('development', 'test', 'production').default('development'),
  SERVICE_NAME: z.string().max(100).default('portico'),
  LOG_LEVEL: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535).default(3_000),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: databaseAddress.optional(),
  REDIS_URL: redisUrl.optional(),
  QDRANT_URL: qdrantUrl.optional(),
  QDRANT_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'printable ASCII without blanks')
    .optional(),
  OLLAMA_URL: address(['http:', 'https:'], 'http://… or https://…').optional(),
  OLLAMA_PULL: truth.default(true),
  OLLAMA_MODEL_KEEP_ALIVE: keepAlive.optional(),
  OLLAMA_NUM_THREAD: integer(1, 1_024).optional(),
  EMBEDDING_MODEL: z
    .string()
    .regex(/^[\w.:/-]{1,200}$/, 'the name of a model, such as nomic-embed-text')
    .default('nomic-embed-text'),
  OPERATION_EMBEDDER: choice('built-in', 'ollama').default('built-in'),
  SMTP_URL: readBy(readSmtpUrl, 'an SMTP address').optional(),
  MAIL_FROM: readBy(readSender, 'a sender').default(defaultMailFrom),
  MAIL_TEMPLATES: z.string().optional(),
  ADMIN_NOTICES: choice('on', 'off').default('on'),
  IDENTITY_ISSUER: issuerUrl.optional(),
  IDENTITY_AUDIENCE: audiences.optional(),
  IDENTITY_AUTHORIZED_PARTIES: authorizedParties.optional(),
  IDENTITY_JWKS_URL: issuerUrl.optional(),
  IDENTITY_JWKS_MAX_AGE: integer(30, 3_600).default(300),
  PUBLIC_URL: publicUrl.optional(),
  MCP_AUDIENCE: audiences.optional(),
  IDENTITY_LOCAL: choice('auto', 'true', 'false').default('auto'),
  IDENTITY_GROUPS_CLAIM: z
    .string()
    .refine(
      (name) => name.trim() === name && name.length <= 200 && isPlainLine(name) && !reservedClaims.includes(name),
      'the name of a claim, or a path of names joined by dots, such as groups or realm_access.roles',
    )
    .optional(),
  IDENTITY_EMAIL_CHECK: choice('claimed', 'verified', 'off').default('claimed'),
  IDENTITY_CONSOLE_CLIENT_ID: consoleClientId.optional(),
  IDENTITY_CONSOLE_SCOPES: consoleScopes.default('openid email profile'),
  IDENTITY_FIREBASE_API_KEY: firebaseApiKey.optional(),
  FIREBASE_AUTH_EMULATOR_HOST: emulatorHost.optional(),
  REGISTRATION_REQUIRES_TOKEN: truth.default(false),
  SECRETS_KEY: key.optional(),
  SECRETS_KEY_FILE: z.string().optional(),
  SECRETS_KEY_PREVIOUS: z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(key))
    .default([]),
  BOOTSTRAP_ADMIN_UID: z.string().max(128).optional(),
  BOOTSTRAP_ADMIN_EMAIL: email.optional(),
  TRUST_PROXY: networks.default([]),
  JOBS: choice('inline', 'off').default('inline'),
  HEARTBEAT_FILE: z.string().optional(),
  RATE_LIMIT_DEFAULT: limit.default({ allowed: 600, windowSeconds: 60 }),
  RATE_LIMIT_ANONYMOUS: z.union([z.literal('off'), limit], 'off, or requests/seconds such as 600/60').optional(),
  RATE_LIMIT_FAILED_KEYS: z.union([z.literal('off'), limit], 'off, or requests/seconds such as 60/60').optional(),
  SPEC_VALIDATION: choice('lenient', 'strict').default('lenient'),
  BODY_LIMIT: size.default(262_144),
  SPEC_BODY_LIMIT: size.default(33_554_432),
  AUDIT_RETENTION_DAYS: z
    .union(
      [z.literal('off').transform(() => null), integer(1, 36_500)],
      'off, or a whole number of days from 1 to 36500',
    )
    .default(null),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.string().default('http/protobuf'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.string().optional(),
  OTEL_SDK_DISABLED: z
    .string()
    .default('false')
    .transform((value) => value.toLowerCase() === 'true'),
  OTEL_TRACES_EXPORTER: choice('otlp', 'none').default('otlp'),
  OTEL_TRACES_SAMPLER: choice(...samplerNames).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'a number from 0 to 1')
    .transform(Number)
    .default(1),
  OTEL_BSP_SCHEDULE_DELAY: integer(1, 600_000).default(5_000),
});

/**
 * Parses the variables and fills in defaults. An empty variable or file counts as absent; a secret may come as
 * `NAME_FILE`. Throws one `ConfigurationError` that lists every problem.
 */
export const readEnvironment = (variables: Environment): z.infer<typeof schema> => {
  const present = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''),
  );
  const problems: string[] = [];
  const withFiles = { ...present, ...secretsFromFiles(present, problems) };
  const parsed = schema.safeParse(withFiles);
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => describe(issue, withFiles)));
  else problems.push(...contradictions(parsed.data));
  if (problems.length > 0 || !parsed.success) throw new ConfigurationError(problems);
  return parsed.data;
};

/** `SECRETS_KEY_FILE` is read later, because it may have to be created first. */
const secretsFromFiles = (present: Environment, problems: string[]): Record<string, string> => {
  const read: Record<string, string> = {};
  for (const name of secrets) {
    const path = present[`${name}_FILE`];
    if (!path) continue;
    if (present[name]) problems.push(`${name} and ${name}_FILE are both set: set one`);
    if (name === 'SECRETS_KEY') continue;
    try {
      const text = readFileSync(path, 'utf8').trim();
      if (text !== '') read[name] = text;
    } catch (error) {
      problems.push(
        `${name}_FILE: ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
      );
    }
  }
  return read;
};

const describe = ({ path, message }: z.core.$ZodIssue, values: Environment): string => {
  const name = String(path[0]);
  const value = values[name] ?? '';
  const seen = isSecret(name, value) ? `a value of ${value.length} characters` : JSON.stringify(value);
  return `${name}: read ${seen}, expected ${message}`;
};

/** Where traces are sent; null if none are recorded. */
export const collectorOf = (read: z.infer<typeof schema>): string | null => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = read;
  if (read.OTEL_SDK_DISABLED || read.OTEL_TRACES_EXPORTER === 'none') return null;
  return own ?? (all === undefined ? null : `${all.replace(/\/+$/, '')}/v1/traces`);
};

const contradictions = (read: z.infer<typeof schema>): readonly string[] => {
  const production = read.NODE_ENV === 'production';
  const traced = collectorOf(read) !== null;
  const rules: (readonly [boolean, string])[] = [
    [!!read.IDENTITY_ISSUER && !read.IDENTITY_AUDIENCE, 'IDENTITY_AUDIENCE is missing: required with IDENTITY_ISSUER'],
    [
      !read.IDENTITY_ISSUER && !!(read.IDENTITY_AUDIENCE || read.IDENTITY_JWKS_URL),
      'IDENTITY_ISSUER is missing: required with IDENTITY_AUDIENCE or IDENTITY_JWKS_URL',
    ],
    [
      !read.IDENTITY_ISSUER && !!read.IDENTITY_AUTHORIZED_PARTIES,
      'IDENTITY_ISSUER is missing: required with IDENTITY_AUTHORIZED_PARTIES',
    ],
    [!!read.MCP_AUDIENCE && !read.PUBLIC_URL, 'PUBLIC_URL is missing: required with MCP_AUDIENCE'],
    [!!read.MCP_AUDIENCE && !read.IDENTITY_ISSUER, 'IDENTITY_ISSUER is missing: required with MCP_AUDIENCE'],
    [
      read.IDENTITY_LOCAL === 'true' && read.IDENTITY_ISSUER === localIssuerName,
      'IDENTITY_ISSUER and IDENTITY_LOCAL=true name the same issuer, with two sets of keys: set only one of them',
    ],
    [
      !read.IDENTITY_ISSUER && (read.IDENTITY_LOCAL === 'false' || (production && read.IDENTITY_LOCAL !== 'true')),
      'IDENTITY_ISSUER is missing: required unless the local issuer is on (IDENTITY_LOCAL=true, for trying Portico out)',
    ],
    [
      production && !read.SECRETS_KEY && !read.SECRETS_KEY_FILE,
      'SECRETS_KEY or SECRETS_KEY_FILE is missing: required in production',
    ],
    [
      !!read.BOOTSTRAP_ADMIN_UID !== !!read.BOOTSTRAP_ADMIN_EMAIL,
      'BOOTSTRAP_ADMIN_UID and BOOTSTRAP_ADMIN_EMAIL are required together',
    ],
    [
      read.OPERATION_EMBEDDER === 'ollama' && !read.OLLAMA_URL,
      'OLLAMA_URL is missing: required with OPERATION_EMBEDDER=ollama',
    ],
    [
      traced && (read.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? read.OTEL_EXPORTER_OTLP_PROTOCOL) !== 'http/protobuf',
      'OTEL_EXPORTER_OTLP_PROTOCOL: Portico sends traces by http/protobuf alone; most collectors take it at port 4318',
    ],
    ...signInContradictions(read),
    [!!read.QDRANT_API_KEY && !read.QDRANT_URL, 'QDRANT_URL is missing: required with QDRANT_API_KEY'],
  ];
  return rules.filter(([broken]) => broken).map(([, text]) => text);
};
