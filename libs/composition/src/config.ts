import { join, resolve } from 'node:path';
import type { FirstAdmin, LimitRule, Settings } from '@portico/domain';
import { localIssuerName } from '@portico/identity';
import { warningsOf } from './configuration-warnings.ts';
import { collectorOf, readEnvironment, type Environment } from './environment.ts';
import { signInWaysOf, type SignInWay } from './sign-in.ts';
import { parseDatabaseAddress, type SamplerName } from './variable-types.ts';

/** The validated configuration. Never log it: it contains keys, and URLs with passwords. */
export interface Config {
  readonly production: boolean;
  readonly serviceName: string;
  readonly logLevel: string;
  readonly host: string;
  readonly port: number;
  /** The absolute path of the data folder. */
  readonly dataDir: string;
  readonly database:
    { readonly kind: 'sqlite'; readonly file: string } | { readonly kind: 'postgresql'; readonly url: string };
  /** Null if the limiter and the job queue run in this process. */
  readonly redis: { readonly url: string } | null;
  /** Null if the vector index is in this process. */
  readonly qdrant: { readonly url: string; readonly apiKey: string | null } | null;
  /** Null if the built-in embedder is used. */
  readonly ollama: {
    readonly url: string;
    readonly model: string;
    readonly pull: boolean;
    /** How long the model remains loaded after its last use; null for the server's setting. */
    readonly keepAlive: string | number | null;
    /** The number of threads; null for the server's setting. */
    readonly numThread: number | null;
  } | null;
  /** The embedder of operations; `ollama` only if `ollama` is set. */
  readonly operationEmbedder: 'built-in' | 'ollama';
  /** Mails go to the SMTP server or, without one, to files in the folder. With neither, they are not sent. */
  readonly mail: {
    readonly from: string;
    readonly smtpUrl: string | null;
    readonly folder: string | null;
    /** The folder of templates; null for the built-in texts. */
    readonly templates: string | null;
  };
  /**
   * The local issuer, an external issuer, or both. `jwksUrl` is null if discovery finds the keys; `accessAudiences` is
   * empty if no access token is accepted.
   */
  readonly identity: {
    readonly local: boolean;
    /** The token claim that contains the names of groups; null if the service does not read one. */
    readonly groupsClaim: string | null;
    readonly issuer: {
      readonly issuer: string;
      readonly audiences: readonly string[];
      readonly accessAudiences: readonly string[];
      /** The clients whose tokens are accepted; empty if all are. */
      readonly authorizedParties: readonly string[];
      readonly jwksUrl: string | null;
      readonly keysMaxAgeMs: number;
    } | null;
  };
  /** The address that callers use to reach the service, without a trailing slash; null if it is not configured. */
  readonly publicUrl: string | null;
  /**
   * The resource that access tokens are issued for (RFC 9728), and their issuer; null if no access tokens are accepted.
   */
  readonly accessTokens: { readonly resource: string; readonly issuer: string } | null;
  /** The ways to sign in to the console; the first is the default. */
  readonly signInWays: readonly SignInWay[];
  readonly secretsKey:
    | { readonly from: 'value'; readonly current: string; readonly previous: readonly string[] }
    | { readonly from: 'file'; readonly path: string; readonly previous: readonly string[] };
  /**
   * The profile to make an admin while no admin can sign in: the one that the variables name, or else `localAdmin`
   * while the local issuer is on. Null for none.
   */
  readonly firstAdmin: FirstAdmin | null;
  /**
   * The addresses and CIDR ranges of trusted proxies, or the number of proxies in front of the service; null for none.
   */
  readonly trustProxy: readonly string[] | number | null;
  /** `off`: an HTTP process runs no jobs; the workers run them. */
  readonly jobs: 'inline' | 'off';
  /**
   * The absolute path of the heartbeat file. A health check uses the file's age to find out whether this process is
   * alive. Null for no heartbeat.
   */
  readonly heartbeatFile: string | null;
  readonly bodyLimitBytes: number;
  /** Replaces `bodyLimitBytes` for bodies that may contain an OpenAPI document. */
  readonly specBodyLimitBytes: number;
  /** Null if entries are never removed. */
  readonly auditRetentionDays: number | null;
  /** Null if no spans are recorded. */
  readonly traces: {
    /** The address that spans are sent to, using OTLP over HTTP. */
    readonly url: string;
    readonly sampler: { readonly name: SamplerName; readonly ratio: number };
    /** How long spans are collected before they are sent. */
    readonly delayMs: number;
  } | null;
  readonly settings: Settings;
  /** Warnings to the operator about this configuration. */
  readonly warnings: readonly string[];
  /** The warnings that concern jobs; a worker logs only these. */
  readonly jobWarnings: readonly string[];
}

/** The repository's root; `DATA_DIR` is relative to it. */
const root = resolve(import.meta.dirname, '../../..');

/** The first admin while the local issuer is on, unless `BOOTSTRAP_ADMIN_UID` and `BOOTSTRAP_ADMIN_EMAIL` name one. */
export const localAdmin = {
  uid: 'local-admin',
  email: 'admin@localhost',
  issuer: localIssuerName,
} as const satisfies FirstAdmin;

/** Reads the configuration from the variables; throws a `ConfigurationError` that names every invalid one. */
export const readConfig = (variables: Environment): Config => {
  const base = createConfig(readEnvironment(variables));
  return {
    ...base,
    warnings: [...warningsOf(base, 'requests'), ...warningsOf(base, 'jobs')],
    jobWarnings: warningsOf(base, 'jobs'),
  };
};

const createConfig = (read: Variables): Omit<Config, 'warnings' | 'jobWarnings'> => {
  const dataDir = resolve(root, read.DATA_DIR);
  const production = read.NODE_ENV === 'production';
  const local =
    read.IDENTITY_LOCAL === 'true' || (read.IDENTITY_LOCAL === 'auto' && !production && !read.IDENTITY_ISSUER);
  return {
    production,
    serviceName: read.SERVICE_NAME,
    logLevel: read.LOG_LEVEL,
    host: read.HOST,
    port: read.PORT,
    dataDir,
    database: databaseOf(read.DATABASE_URL ?? { kind: 'sqlite', file: join(dataDir, 'portico.sqlite') }),
    redis: read.REDIS_URL ? { url: read.REDIS_URL } : null,
    qdrant: read.QDRANT_URL ? { url: read.QDRANT_URL, apiKey: read.QDRANT_API_KEY ?? null } : null,
    ollama: ollamaOf(read),
    operationEmbedder: read.OPERATION_EMBEDDER,
    mail: {
      from: read.MAIL_FROM,
      smtpUrl: read.SMTP_URL ?? null,
      folder: production || read.SMTP_URL ? null : join(dataDir, 'mails'),
      templates: read.MAIL_TEMPLATES ?? null,
    },
    identity: {
      local,
      groupsClaim: read.IDENTITY_GROUPS_CLAIM ?? null,
      issuer: read.IDENTITY_ISSUER
        ? {
            issuer: read.IDENTITY_ISSUER,
            audiences: read.IDENTITY_AUDIENCE ?? [],
            accessAudiences: accessAudiencesOf(read),
            authorizedParties: read.IDENTITY_AUTHORIZED_PARTIES ?? [],
            jwksUrl: read.IDENTITY_JWKS_URL ?? null,
            keysMaxAgeMs: read.IDENTITY_JWKS_MAX_AGE * 1_000,
          }
        : null,
    },
    publicUrl: read.PUBLIC_URL ?? null,
    accessTokens:
      read.PUBLIC_URL && read.IDENTITY_ISSUER
        ? { resource: mcpAddress(read.PUBLIC_URL), issuer: read.IDENTITY_ISSUER }
        : null,
    signInWays: signInWaysOf(read, local),
    secretsKey: secretsKeyOf(read, dataDir),
    firstAdmin: firstAdminOf(read, local),
    trustProxy: trustedProxies(read.TRUST_PROXY),
    jobs: read.JOBS,
    heartbeatFile: read.HEARTBEAT_FILE ? resolve(root, read.HEARTBEAT_FILE) : null,
    bodyLimitBytes: read.BODY_LIMIT,
    specBodyLimitBytes: read.SPEC_BODY_LIMIT,
    auditRetentionDays: read.AUDIT_RETENTION_DAYS,
    traces: tracesOf(read),
    settings: {
      issuers: [...(local ? [localIssuerName] : []), ...(read.IDENTITY_ISSUER ? [read.IDENTITY_ISSUER] : [])],
      identityEmailCheck: read.IDENTITY_EMAIL_CHECK,
      registrationRequiresToken: read.REGISTRATION_REQUIRES_TOKEN,
      adminNotices: read.ADMIN_NOTICES === 'on',
      publicUrl: read.PUBLIC_URL ?? null,
      strictDocuments: read.SPEC_VALIDATION === 'strict',
      defaultLimit: read.RATE_LIMIT_DEFAULT,
      anonymousLimit: limitOrOff(read.RATE_LIMIT_ANONYMOUS, production ? { allowed: 600, windowSeconds: 60 } : null),
      failedCredentialsLimit: limitOrOff(
        read.RATE_LIMIT_FAILED_KEYS,
        production ? { allowed: 60, windowSeconds: 60 } : null,
      ),
    },
  };
};

type Variables = ReturnType<typeof readEnvironment>;

const ollamaOf = (read: ReturnType<typeof readEnvironment>): Config['ollama'] =>
  read.OLLAMA_URL
    ? {
        url: read.OLLAMA_URL,
        model: read.EMBEDDING_MODEL,
        pull: read.OLLAMA_PULL,
        keepAlive: read.OLLAMA_MODEL_KEEP_ALIVE ?? null,
        numThread: read.OLLAMA_NUM_THREAD ?? null,
      }
    : null;

/** Returns the configuration of traces, using the variables that every OpenTelemetry SDK reads. */
const tracesOf = (read: Variables): Config['traces'] => {
  const url = collectorOf(read);
  const sampler = { name: read.OTEL_TRACES_SAMPLER, ratio: read.OTEL_TRACES_SAMPLER_ARG };
  return url === null ? null : { url, sampler, delayMs: read.OTEL_BSP_SCHEDULE_DELAY };
};

/** Reads a database address as in `DATABASE_URL`; returns null if it is not valid. */
export const readDatabaseAddress = (text: string): Config['database'] | null => {
  const read = parseDatabaseAddress(text);
  return read && databaseOf(read);
};

const databaseOf = (read: NonNullable<Variables['DATABASE_URL']>): Config['database'] =>
  read.kind === 'postgresql' ? read : { kind: 'sqlite', file: resolve(root, read.file) };

/** Returns the address of the only endpoint that accepts access tokens. */
const mcpAddress = (publicUrl: string): string => `${publicUrl}/mcp`;

const accessAudiencesOf = ({ PUBLIC_URL: url, MCP_AUDIENCE: audiences }: Variables): readonly string[] =>
  url ? (audiences ?? [mcpAddress(url)]) : [];

const secretsKeyOf = (read: Variables, dataDir: string): Config['secretsKey'] => {
  const previous = read.SECRETS_KEY_PREVIOUS ?? [];
  if (read.SECRETS_KEY) return { from: 'value', current: read.SECRETS_KEY, previous };
  return {
    from: 'file',
    path: read.SECRETS_KEY_FILE ? resolve(root, read.SECRETS_KEY_FILE) : join(dataDir, 'secrets.key'),
    previous,
  };
};

const firstAdminOf = (read: Variables, local: boolean): Config['firstAdmin'] => {
  if (read.BOOTSTRAP_ADMIN_UID && read.BOOTSTRAP_ADMIN_EMAIL) {
    return {
      uid: read.BOOTSTRAP_ADMIN_UID,
      email: read.BOOTSTRAP_ADMIN_EMAIL,
      issuer: read.IDENTITY_ISSUER ?? localIssuerName,
    };
  }
  return local ? localAdmin : null;
};

const trustedProxies = (parts: readonly string[]): Config['trustProxy'] => {
  const [first, ...more] = parts;
  if (first === undefined) return null;
  if (more.length === 0 && /^\d+$/.test(first)) return Number(first);
  return parts.flatMap((part) => (part === 'loopback' ? ['127.0.0.0/8', '::1'] : [part]));
};

const limitOrOff = (read: LimitRule | 'off' | undefined, otherwise: LimitRule | null): LimitRule | null => {
  if (read === undefined) return otherwise;
  return read === 'off' ? null : read;
};
