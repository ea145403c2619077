import { isPlainLine } from '@portico/domain';
import { readSender, readSmtpUrl } from '@portico/mail';
import { z } from 'zod';
import { consoleClientId, consoleScopes, emulatorHost, firebaseApiKey, mcpScopes } from './sign-in.ts';
import {
  serverUrl,
  audiences,
  authorizedParties,
  choice,
  collector,
  databaseUrl,
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
  callNetworks,
} from './variable-types.ts';

/** Returns an optional variable with its meaning, which `docs/reference/configuration.md` and `.env.example` quote. */
const optional = <Type extends z.ZodType>(type: Type, description: string) => type.optional().describe(description);
/** Returns a variable with a default, which is written as the variable would be set. */
const variable = <Type extends z.ZodType>(type: Type, defaultValue: string & z.input<Type>, description: string) =>
  type.prefault(defaultValue).describe(description);

const service = {
  NODE_ENV: variable(
    choice('development', 'test', 'production'),
    'development',
    '`production` requires a secrets key and an issuer, limits anonymous requests, and sends no email without `SMTP_URL`.',
  ),
  HOST: variable(z.string(), '127.0.0.1', 'The address to listen on.'),
  PORT: variable(integer(0, 65_535), '3000', 'The port to listen on; `0` picks a free one.'),
  PUBLIC_URL: optional(
    publicUrl,
    "The URL where callers reach the service, such as `https://portico.example.com`. Emails link to it. If an issuer is set, `/mcp` accepts that issuer's access tokens.",
  ),
  TRUST_PROXY: variable(networks, 'off', 'The proxies whose `X-Forwarded-For` is trusted.'),
  DATA_DIR: variable(
    z.string(),
    './data',
    'The folder for the SQLite file, keys and emails; relative to the project root.',
  ),
  JOBS: variable(choice('inline', 'off'), 'inline', '`off` leaves emails and embeddings to a worker.'),
  HEARTBEAT_FILE: optional(
    z.string(),
    'A file that is written every 10 s. Its age shows a health check whether a worker, which has no port, is alive.',
  ),
  SERVICE_NAME: variable(z.string().max(100), 'portico', 'The name in each log line.'),
  LOG_LEVEL: variable(choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info', 'The log level.'),
};

const servers = {
  DATABASE_URL: optional(databaseUrl, 'The database; PostgreSQL 14 or newer. If unset: a SQLite file in `DATA_DIR`.'),
  REDIS_URL: optional(
    redisUrl,
    'Rate limits, the job queue and cached query vectors, shared by all processes; Redis 6.2 or newer with `maxmemory-policy noeviction`. If unset: in process.',
  ),
  QDRANT_URL: optional(qdrantUrl, 'The vector index; Qdrant 1.16 or newer. If unset: in process.'),
  QDRANT_API_KEY: optional(
    z.string().regex(/^[\x21-\x7e]+$/, 'printable ASCII without spaces'),
    'The API key for that Qdrant server.',
  ),
};

const search = {
  OLLAMA_URL: optional(
    serverUrl(['http:', 'https:'], 'http://… or https://…'),
    'An Ollama server that embeds collections and queries. If unset: the built-in embedder.',
  ),
  EMBEDDING_MODEL: variable(
    z.string().regex(/^[\w.:/-]{1,200}$/, 'the name of a model, such as nomic-embed-text'),
    'nomic-embed-text',
    'The embedding model in Ollama; its vectors must have 768 dimensions.',
  ),
  OLLAMA_PULL: variable(booleanText, 'true', 'Whether Ollama pulls the model if it is missing.'),
  OLLAMA_MODEL_KEEP_ALIVE: optional(
    keepAlive,
    "How long Ollama keeps the model loaded after its last use. If unset: Ollama's default.",
  ),
  OLLAMA_NUM_THREAD: optional(integer(1, 1_024), "How many threads Ollama uses. If unset: Ollama's default."),
  OPERATION_EMBEDDER: variable(
    choice('built-in', 'ollama'),
    'built-in',
    'The embedder of operations. `ollama` requires `OLLAMA_URL`; without a GPU, a large document takes minutes.',
  ),
};

const mail = {
  SMTP_URL: optional(
    parsedBy(readSmtpUrl, 'an SMTP address'),
    'The mail server; use `?tls=off` only for a local mail catcher. If unset, email is written to `DATA_DIR/mails`; in production, none is sent.',
  ),
  MAIL_FROM: variable(parsedBy(readSender, 'a sender'), defaultMailFrom, 'The sender of all emails.'),
  MAIL_TEMPLATES: optional(z.string(), 'A folder of email templates that replace the built-in ones.'),
  ADMIN_NOTICES: variable(
    choice('on', 'off'),
    'on',
    'Whether to email admins about pending decisions and upcoming expiries.',
  ),
};

const identity = {
  IDENTITY_ISSUER: optional(
    issuerUrl,
    'The OpenID Connect issuer. If unset: in development the local issuer is used; in production startup fails unless `IDENTITY_LOCAL=true`.',
  ),
  IDENTITY_AUDIENCE: optional(
    audiences,
    'The accepted audiences of ID tokens, such as your client id. Required with an issuer.',
  ),
  IDENTITY_AUTHORIZED_PARTIES: optional(
    authorizedParties,
    'The clients whose tokens are accepted (`azp`). If unset: all clients.',
  ),
  IDENTITY_JWKS_URL: optional(issuerUrl, 'The URL of the key set. If unset: found by discovery.'),
  IDENTITY_JWKS_MAX_AGE: variable(
    integer(30, 3_600),
    '300',
    'Seconds until keys are fetched again. A key that the issuer has disabled remains valid until then.',
  ),
  MCP_AUDIENCE: optional(audiences, 'Audiences of access tokens that `/mcp` accepts. If unset: `PUBLIC_URL/mcp`.'),
  MCP_SCOPES: variable(
    mcpScopes,
    'openid email profile',
    'The scopes that MCP clients should request; some issuers need one of their own.',
  ),
  IDENTITY_LOCAL: variable(
    choice('auto', 'true', 'false'),
    'auto',
    'The local issuer. `auto`: on in development if no issuer is set. `true`: on in production too, where anyone who can read `DATA_DIR` can sign in as an admin. `false`: off.',
  ),
  IDENTITY_EMAIL_CHECK: variable(
    choice('claimed', 'verified', 'off'),
    'claimed',
    'The first token for a profile must match its email address (`claimed`), its verified email address (`verified`; recommended in production), or only its uid (`off`).',
  ),
  IDENTITY_GROUPS_CLAIM: optional(
    z
      .string()
      .refine(
        (name) => name.trim() === name && name.length <= 200 && isPlainLine(name) && !reservedClaims.includes(name),
        'the name of a claim, or a path of names joined by dots, such as groups or realm_access.roles',
      ),
    "The claim that names a user's groups. If unset: tokens carry no groups, and all claim-based memberships are removed at startup.",
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
    "The Firebase project's Web API key (not a secret). If set, people sign in to the console with an email address and password.",
  ),
  FIREBASE_AUTH_EMULATOR_HOST: optional(
    emulatorHost,
    'A Firebase Authentication emulator, for the console; rejected in production.',
  ),
  REGISTRATION_REQUIRES_TOKEN: variable(
    booleanText,
    'false',
    'Whether a registration requires a token of the user who registers.',
  ),
  BOOTSTRAP_ADMIN_UID: optional(
    z.string().max(128),
    "The first admin: the `sub` of the issuer's tokens. Created at startup if no admin can sign in.",
  ),
  BOOTSTRAP_ADMIN_EMAIL: optional(email, "The first admin's email address; set both or neither."),
};

const secretsKey = {
  SECRETS_KEY: optional(
    key,
    'The key that seals stored credentials, pending emails and the pepper of API keys. If unset: a file in `DATA_DIR`. Required in production, as a value or a file; a missing file is created if nothing has been sealed yet.',
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
  RATE_LIMIT_DEFAULT: variable(limit, '600/60', 'The rate limit for a client without a tier or an override.'),
  RATE_LIMIT_ANONYMOUS: optional(
    z.union([z.literal('off'), limit], 'off, or requests/seconds such as 600/60'),
    'The rate limit for an address that sends no valid credentials. If unset: off; 600/60 in production.',
  ),
  RATE_LIMIT_FAILED_KEYS: optional(
    z.union([z.literal('off'), limit], 'off, or requests/seconds such as 60/60'),
    'The limit on failed authentication attempts from one address. If unset: off; 60/60 in production.',
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
    'The number of days after which audit entries are removed.',
  ),
  REVISIONS_KEEP: variable(
    integer(1, 10_000),
    '50',
    'How many of the newest revisions of each collection are retained, regardless of their age.',
  ),
  REVISIONS_DAYS: variable(integer(1, 36_500), '400', 'The number of days for which all revisions are retained.'),
};

const calls = {
  CALLS: variable(
    choice('off', 'on', 'only'),
    'off',
    'Whether this process calls APIs. `only`: it serves nothing but calls and `/mcp`, so that no other process needs a way out.',
  ),
  CALL_NETWORKS: optional(
    callNetworks,
    'The private networks that calls and webhooks may reach, also without TLS, such as `10.20.0.0/16,fd00:1::/64`. If unset: none.',
  ),
  RATE_LIMIT_CALLS: variable(
    z.union([z.literal('off').transform(() => null), limit], 'off, or requests/seconds such as 120/60'),
    '120/60',
    'The rate limit for the calls of each client, in addition to its limit for requests.',
  ),
};

const traces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    collector,
    'An OpenTelemetry collector for OTLP over HTTP, such as `http://127.0.0.1:4318`. If unset: no traces.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(collector, 'The full URL, for traces only.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: variable(z.string(), 'http/protobuf', 'The protocol; no other is supported.'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: optional(z.string(), 'The protocol for traces only.'),
  OTEL_SDK_DISABLED: variable(
    z.string().transform((value) => value.toLowerCase() === 'true'),
    'false',
    '`true` turns traces off.',
  ),
  OTEL_TRACES_EXPORTER: variable(choice('otlp', 'none'), 'otlp', '`none` turns traces off.'),
  OTEL_TRACES_SAMPLER: variable(
    choice(...samplerNames),
    'parentbased_always_on',
    "Which requests are traced; `parentbased_…`: a caller's decision takes precedence.",
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
    'How long spans are collected before they are sent, in milliseconds.',
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
  Calls: calls,
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
  ...calls,
  ...traces,
});
export type Variables = z.infer<typeof variablesSchema>;
