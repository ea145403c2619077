import { isPlainLine } from '@portico/domain';
import { readSender, readSmtpUrl } from '@portico/mail';
import { z } from 'zod';
import { consoleClientId, consoleScopes, emulatorHost, firebaseApiKey } from './sign-in.ts';
import {
  address,
  audiences,
  authorizedParties,
  choice,
  collector,
  databaseAddress,
  defaultMailFrom,
  email,
  integer,
  issuerUrl,
  keepAlive,
  key,
  limit,
  networks,
  publicUrl,
  qdrantUrl,
  parsedBy,
  redisUrl,
  reservedClaims,
  samplerNames,
  size,
  booleanText,
} from './variable-types.ts';

/** Returns an optional variable with its meaning, which `docs/reference/configuration.md` and `.env.example` quote. */
const optional = <Type extends z.ZodType>(type: Type, meaning: string) => type.optional().describe(meaning);
/** Returns a variable with a default, which is written as the variable would be set. */
const variable = <Type extends z.ZodType>(type: Type, defaultValue: string & z.input<Type>, meaning: string) =>
  type.prefault(defaultValue).describe(meaning);

const service = {
  NODE_ENV: variable(
    choice('development', 'test', 'production'),
    'development',
    '`production` requires a secrets key and an issuer, limits anonymous requests, and sends no mail without `SMTP_URL`.',
  ),
  HOST: variable(z.string(), '127.0.0.1', 'The address to listen on.'),
  PORT: variable(integer(0, 65_535), '3000', 'The port to listen on; `0` picks a free one.'),
  PUBLIC_URL: optional(
    publicUrl,
    'The address where callers reach the service, such as `https://portico.example.com`. Mails link to it, and with an issuer `/mcp` accepts its access tokens.',
  ),
  TRUST_PROXY: variable(networks, 'off', 'The proxies whose `X-Forwarded-For` is trusted.'),
  DATA_DIR: variable(
    z.string(),
    './data',
    'The folder for the SQLite file, keys and mails; relative to the root of the project.',
  ),
  JOBS: variable(choice('inline', 'off'), 'inline', '`off` leaves mails and embeddings to a worker.'),
  HEARTBEAT_FILE: optional(
    z.string(),
    'A file written every 10 s. Its age shows a health check whether a worker, which has no port, is alive.',
  ),
  SERVICE_NAME: variable(z.string().max(100), 'portico', 'The name in each log line.'),
  LOG_LEVEL: variable(choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info', 'The log level.'),
};

const servers = {
  DATABASE_URL: optional(
    databaseAddress,
    'The database; PostgreSQL 14 or newer. If unset: a SQLite file in `DATA_DIR`.',
  ),
  REDIS_URL: optional(
    redisUrl,
    'Limits, job queue and vectors of queries for all processes; Redis 6.2 or newer with `maxmemory-policy noeviction`. If unset: in process.',
  ),
  QDRANT_URL: optional(qdrantUrl, 'The vector index; Qdrant 1.16 or newer. If unset: in process.'),
  QDRANT_API_KEY: optional(
    z.string().regex(/^[\x21-\x7e]+$/, 'printable ASCII without blanks'),
    'The API key of that Qdrant.',
  ),
};

const search = {
  OLLAMA_URL: optional(
    address(['http:', 'https:'], 'http://… or https://…'),
    'An Ollama server that embeds collections and queries. If unset: the built-in embedder.',
  ),
  EMBEDDING_MODEL: variable(
    z.string().regex(/^[\w.:/-]{1,200}$/, 'the name of a model, such as nomic-embed-text'),
    'nomic-embed-text',
    'The embedding model in Ollama; its vectors have 768 numbers.',
  ),
  OLLAMA_PULL: variable(booleanText, 'true', 'Whether Ollama pulls the model if it is missing.'),
  OLLAMA_MODEL_KEEP_ALIVE: optional(
    keepAlive,
    "How long Ollama keeps the model loaded after its last use. If unset: Ollama's own setting.",
  ),
  OLLAMA_NUM_THREAD: optional(integer(1, 1_024), "How many threads Ollama uses. If unset: Ollama's own setting."),
  OPERATION_EMBEDDER: variable(
    choice('built-in', 'ollama'),
    'built-in',
    'The embedder of operations. `ollama` needs `OLLAMA_URL`, and minutes for a large document without a GPU.',
  ),
};

const mail = {
  SMTP_URL: optional(
    parsedBy(readSmtpUrl, 'an SMTP address'),
    'The mail server; use `?tls=off` only for a local mail catcher. If unset: files in `DATA_DIR/mails`, in production no mail.',
  ),
  MAIL_FROM: variable(parsedBy(readSender, 'a sender'), defaultMailFrom, 'The sender of all mails.'),
  MAIL_TEMPLATES: optional(z.string(), "A folder of templates that replace the service's own words in mails."),
  ADMIN_NOTICES: variable(
    choice('on', 'off'),
    'on',
    'Whether to mail admins about pending decisions and upcoming expiries.',
  ),
};

const identity = {
  IDENTITY_ISSUER: optional(
    issuerUrl,
    'The OpenID Connect issuer. If unset: in development the local issuer is used; in production the start fails, unless `IDENTITY_LOCAL=true`.',
  ),
  IDENTITY_AUDIENCE: optional(
    audiences,
    'The audience of ID tokens: your client id, or several. Required with an issuer.',
  ),
  IDENTITY_AUTHORIZED_PARTIES: optional(
    authorizedParties,
    'The clients whose tokens are accepted (`azp`). If unset: all clients.',
  ),
  IDENTITY_JWKS_URL: optional(issuerUrl, 'The address of the key set. If unset: found by discovery.'),
  IDENTITY_JWKS_MAX_AGE: variable(
    integer(30, 3_600),
    '300',
    'Seconds after which keys are fetched again. A key that the issuer has disabled stays valid until then.',
  ),
  MCP_AUDIENCE: optional(audiences, 'Audiences of access tokens that `/mcp` accepts. If unset: `PUBLIC_URL/mcp`.'),
  IDENTITY_LOCAL: variable(
    choice('auto', 'true', 'false'),
    'auto',
    'The local issuer. `auto`: on in development while no issuer is set. `true`: on in production too, where anyone who can read `DATA_DIR` can sign in as an admin. `false`: off.',
  ),
  IDENTITY_EMAIL_CHECK: variable(
    choice('claimed', 'verified', 'off'),
    'claimed',
    'Required in a first token to bind a profile: `claimed` its e-mail, `verified` its verified e-mail (recommended in production), `off` only its uid.',
  ),
  IDENTITY_GROUPS_CLAIM: optional(
    z
      .string()
      .refine(
        (name) => name.trim() === name && name.length <= 200 && isPlainLine(name) && !reservedClaims.includes(name),
        'the name of a claim, or a path of names joined by dots, such as groups or realm_access.roles',
      ),
    "The claim that names a user's groups. If unset: tokens name no groups, and a start ends all memberships by claim.",
  ),
  IDENTITY_CONSOLE_CLIENT_ID: optional(
    consoleClientId,
    'The public client of the console. If unset: the first of `IDENTITY_AUDIENCE`.',
  ),
  IDENTITY_CONSOLE_SCOPES: variable(
    consoleScopes,
    'openid email profile',
    'The scopes that the console requests. Add `offline_access` if the issuer requires it for refresh tokens.',
  ),
  IDENTITY_FIREBASE_API_KEY: optional(
    firebaseApiKey,
    'The Web API key of the Firebase project, which is public: people sign in to the console by e-mail and password.',
  ),
  FIREBASE_AUTH_EMULATOR_HOST: optional(
    emulatorHost,
    'An emulator of Firebase Authentication, for the console; refused in production.',
  ),
  REGISTRATION_REQUIRES_TOKEN: variable(
    booleanText,
    'false',
    'Whether a registration must come with a token of the user who registers.',
  ),
  BOOTSTRAP_ADMIN_UID: optional(
    z.string().max(128),
    "The first admin: the `sub` of the issuer's tokens. Created at start while no admin can sign in.",
  ),
  BOOTSTRAP_ADMIN_EMAIL: optional(email, "The first admin's e-mail; both or neither."),
};

const secretsKey = {
  SECRETS_KEY: optional(
    key,
    'The key that seals stored credentials, pending mails and the pepper of API keys. If unset: a file in `DATA_DIR`. Required in production, as a value or a file; a missing file is created while nothing is sealed.',
  ),
  SECRETS_KEY_FILE: optional(z.string(), 'A file with the secrets key.'),
  SECRETS_KEY_PREVIOUS: optional(
    z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim()))
      .pipe(z.array(key)),
    'Earlier keys that still open sealed data, separated by commas.',
  ),
};

const limits = {
  RATE_LIMIT_DEFAULT: variable(limit, '600/60', 'The limit of a client without a tier or an override.'),
  RATE_LIMIT_ANONYMOUS: optional(
    z.union([z.literal('off'), limit], 'off, or requests/seconds such as 600/60'),
    'The limit of an address that sends no valid credentials. If unset: off, in production 600/60.',
  ),
  RATE_LIMIT_FAILED_KEYS: optional(
    z.union([z.literal('off'), limit], 'off, or requests/seconds such as 60/60'),
    'The limit of failed credentials from one address. If unset: off, in production 60/60.',
  ),
  BODY_LIMIT: variable(size, '256kb', 'The largest request body.'),
  SPEC_BODY_LIMIT: variable(size, '32mb', 'The largest request body that may contain an OpenAPI document.'),
  SPEC_VALIDATION: variable(
    choice('lenient', 'strict'),
    'lenient',
    '`strict` rejects documents that violate the official OpenAPI schema.',
  ),
  AUDIT_RETENTION_DAYS: variable(
    z.union(
      [z.literal('off').transform(() => null), integer(1, 36_500)],
      'off, or a whole number of days from 1 to 36500',
    ),
    'off',
    'The days after which audit entries are removed.',
  ),
};

const traces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    collector,
    'An OpenTelemetry collector for OTLP over HTTP, such as `http://127.0.0.1:4318`. If unset: no traces.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(collector, 'The full address, only for traces.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: variable(z.string(), 'http/protobuf', 'The protocol; no other is supported.'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: optional(z.string(), 'The same, only for traces.'),
  OTEL_SDK_DISABLED: variable(
    z.string().transform((value) => value.toLowerCase() === 'true'),
    'false',
    '`true` turns traces off.',
  ),
  OTEL_TRACES_EXPORTER: variable(choice('otlp', 'none'), 'otlp', '`none` turns traces off.'),
  OTEL_TRACES_SAMPLER: variable(
    choice(...samplerNames),
    'parentbased_always_on',
    "Which requests are traced; `parentbased_…`: a caller's decision comes first.",
  ),
  OTEL_TRACES_SAMPLER_ARG: variable(
    z
      .string()
      .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'a number from 0 to 1')
      .transform(Number),
    '1',
    'The share of requests that a ratio sampler traces.',
  ),
  OTEL_BSP_SCHEDULE_DELAY: variable(
    integer(1, 600_000),
    '5000',
    'The milliseconds for which spans are collected before they are sent.',
  ),
};

/** The variables grouped by subject, as in the reference. */
export const variableGroups: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  'The service': service,
  Servers: servers,
  Search: search,
  Mail: mail,
  'Signing in': identity,
  'Secrets key': secretsKey,
  Limits: limits,
  Traces: traces,
};

/** All variables. */
export const variablesSchema = z.object({
  ...service,
  ...servers,
  ...search,
  ...mail,
  ...identity,
  ...secretsKey,
  ...limits,
  ...traces,
});
export type Variables = z.infer<typeof variablesSchema>;
