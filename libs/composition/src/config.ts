import { join, resolve } from 'node:path';
import type { FirstAdmin, LimitRule, RetentionSettings, Settings } from '@portico/domain';
import { localIssuerName } from '@portico/identity';
import { warningsOf } from './configuration-warnings.ts';
import { collectorOf, readEnvironment, type Environment } from './environment.ts';
import { signInWaysOf, type SignInWay } from './sign-in.ts';
import { parseDatabaseUrl, type SamplerName } from './variable-types.ts';

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
  /** Emails go to the SMTP server or, without one, to files in the folder. With neither, they are not sent. */
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
  /** The URL that callers use to reach the service, without a trailing slash; null if it is not configured. */
  readonly publicUrl: string | null;
  /**
   * The resource that access tokens are issued for (RFC 9728), their issuer, and the scopes that clients should request;
   * null if no access tokens are accepted.
   */
  readonly accessTokens: {
    readonly resource: string;
    readonly issuer: string;
    readonly scopes: readonly string[];
  } | null;
  /** The ways to sign in to the console; the first is the default. */
  readonly signInWays: readonly SignInWay[];
  readonly secretsKey:
    | { readonly from: 'value'; readonly current: string; readonly previous: readonly string[] }
    | { readonly from: 'file'; readonly path: string; readonly previous: readonly string[] };
  /**
   * The profile to make an admin if no admin can sign in: the one that the variables name, or else `localAdmin` if the
   * local issuer is on. Null for none.
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
  readonly revisionRetention: RetentionSettings;
  /** Whether this process calls APIs; `only`: it serves nothing else. */
  readonly calls: 'off' | 'on' | 'only';
  /** The private networks that calls may reach. */
  readonly callNetworks: readonly string[];
  /** Null if no spans are recorded. */
  readonly traces: {
    /** The URL that spans are sent to, using OTLP over HTTP. */
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

/** The first admin if the local issuer is on, unless `BOOTSTRAP_ADMIN_UID` and `BOOTSTRAP_ADMIN_EMAIL` name one. */
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

const createConfig = (variables: Variables): Omit<Config, 'warnings' | 'jobWarnings'> => {
  const dataDir = resolve(root, variables.DATA_DIR);
  const isProduction = variables.NODE_ENV === 'production';
  const usesLocalIssuer = hasLocalIssuer(variables);
  return {
    production: isProduction,
    serviceName: variables.SERVICE_NAME,
    logLevel: variables.LOG_LEVEL,
    host: variables.HOST,
    port: variables.PORT,
    dataDir,
    database: databaseOf(variables.DATABASE_URL ?? { kind: 'sqlite', file: join(dataDir, 'portico.sqlite') }),
    redis: variables.REDIS_URL ? { url: variables.REDIS_URL } : null,
    qdrant: variables.QDRANT_URL ? { url: variables.QDRANT_URL, apiKey: variables.QDRANT_API_KEY ?? null } : null,
    ollama: ollamaOf(variables),
    operationEmbedder: variables.OPERATION_EMBEDDER,
    mail: {
      from: variables.MAIL_FROM,
      smtpUrl: variables.SMTP_URL ?? null,
      folder: isProduction || variables.SMTP_URL ? null : join(dataDir, 'mails'),
      templates: variables.MAIL_TEMPLATES ?? null,
    },
    identity: {
      local: usesLocalIssuer,
      groupsClaim: variables.IDENTITY_GROUPS_CLAIM ?? null,
      issuer: variables.IDENTITY_ISSUER
        ? {
            issuer: variables.IDENTITY_ISSUER,
            audiences: variables.IDENTITY_AUDIENCE ?? [],
            accessAudiences: accessAudiencesOf(variables),
            authorizedParties: variables.IDENTITY_AUTHORIZED_PARTIES ?? [],
            jwksUrl: variables.IDENTITY_JWKS_URL ?? null,
            keysMaxAgeMs: variables.IDENTITY_JWKS_MAX_AGE * 1_000,
          }
        : null,
    },
    publicUrl: variables.PUBLIC_URL ?? null,
    accessTokens:
      variables.PUBLIC_URL && variables.IDENTITY_ISSUER
        ? {
            resource: mcpUrlOf(variables.PUBLIC_URL),
            issuer: variables.IDENTITY_ISSUER,
            scopes: variables.MCP_SCOPES,
          }
        : null,
    signInWays: signInWaysOf(variables, usesLocalIssuer),
    secretsKey: secretsKeyOf(variables, dataDir),
    firstAdmin: firstAdminOf(variables, usesLocalIssuer),
    trustProxy: parseTrustedProxies(variables.TRUST_PROXY),
    jobs: variables.JOBS,
    heartbeatFile: variables.HEARTBEAT_FILE ? resolve(root, variables.HEARTBEAT_FILE) : null,
    bodyLimitBytes: variables.BODY_LIMIT,
    specBodyLimitBytes: variables.SPEC_BODY_LIMIT,
    auditRetentionDays: variables.AUDIT_RETENTION_DAYS,
    revisionRetention: { newest: variables.REVISIONS_KEEP, days: variables.REVISIONS_DAYS },
    calls: variables.CALLS,
    callNetworks: variables.CALL_NETWORKS ?? [],
    traces: tracesOf(variables),
    settings: settingsOf(variables, isProduction, usesLocalIssuer),
  };
};

type Variables = ReturnType<typeof readEnvironment>;

const settingsOf = (variables: Variables, isProduction: boolean, usesLocalIssuer: boolean): Settings => ({
  issuers: [
    ...(usesLocalIssuer ? [localIssuerName] : []),
    ...(variables.IDENTITY_ISSUER ? [variables.IDENTITY_ISSUER] : []),
  ],
  identityEmailCheck: variables.IDENTITY_EMAIL_CHECK,
  registrationRequiresToken: variables.REGISTRATION_REQUIRES_TOKEN,
  adminNotices: variables.ADMIN_NOTICES === 'on',
  publicUrl: variables.PUBLIC_URL ?? null,
  strictDocuments: variables.SPEC_VALIDATION === 'strict',
  defaultLimit: variables.RATE_LIMIT_DEFAULT,
  anonymousLimit: limitOf(variables.RATE_LIMIT_ANONYMOUS, isProduction ? { allowed: 600, windowSeconds: 60 } : null),
  failedCredentialsLimit: limitOf(
    variables.RATE_LIMIT_FAILED_KEYS,
    isProduction ? { allowed: 60, windowSeconds: 60 } : null,
  ),
  callLimit: variables.RATE_LIMIT_CALLS,
});

const ollamaOf = (variables: ReturnType<typeof readEnvironment>): Config['ollama'] =>
  variables.OLLAMA_URL
    ? {
        url: variables.OLLAMA_URL,
        model: variables.EMBEDDING_MODEL,
        pull: variables.OLLAMA_PULL,
        keepAlive: variables.OLLAMA_MODEL_KEEP_ALIVE ?? null,
        numThread: variables.OLLAMA_NUM_THREAD ?? null,
      }
    : null;

/** Returns the configuration of traces, using the variables that every OpenTelemetry SDK reads. */
const tracesOf = (variables: Variables): Config['traces'] => {
  const url = collectorOf(variables);
  const sampler = { name: variables.OTEL_TRACES_SAMPLER, ratio: variables.OTEL_TRACES_SAMPLER_ARG };
  return url === null ? null : { url, sampler, delayMs: variables.OTEL_BSP_SCHEDULE_DELAY };
};

/** Reads a database URL as in `DATABASE_URL`; returns null if it is not valid. */
export const readDatabaseUrl = (text: string): Config['database'] | null => {
  const address = parseDatabaseUrl(text);
  return address && databaseOf(address);
};

const databaseOf = (address: NonNullable<Variables['DATABASE_URL']>): Config['database'] =>
  address.kind === 'postgresql' ? address : { kind: 'sqlite', file: resolve(root, address.file) };

/** Returns the URL of the only endpoint that accepts access tokens. */
const mcpUrlOf = (publicUrl: string): string => `${publicUrl}/mcp`;

const accessAudiencesOf = ({ PUBLIC_URL: url, MCP_AUDIENCE: audiences }: Variables): readonly string[] =>
  url ? (audiences ?? [mcpUrlOf(url)]) : [];

const secretsKeyOf = (variables: Variables, dataDir: string): Config['secretsKey'] => {
  const previous = variables.SECRETS_KEY_PREVIOUS ?? [];
  if (variables.SECRETS_KEY) return { from: 'value', current: variables.SECRETS_KEY, previous };
  return {
    from: 'file',
    path: variables.SECRETS_KEY_FILE ? resolve(root, variables.SECRETS_KEY_FILE) : join(dataDir, 'secrets.key'),
    previous,
  };
};

const hasLocalIssuer = ({ IDENTITY_LOCAL, IDENTITY_ISSUER, NODE_ENV }: Variables): boolean =>
  IDENTITY_LOCAL === 'true' || (IDENTITY_LOCAL === 'auto' && NODE_ENV !== 'production' && !IDENTITY_ISSUER);

const firstAdminOf = (variables: Variables, usesLocalIssuer: boolean): Config['firstAdmin'] => {
  if (variables.BOOTSTRAP_ADMIN_UID && variables.BOOTSTRAP_ADMIN_EMAIL) {
    return {
      uid: variables.BOOTSTRAP_ADMIN_UID,
      email: variables.BOOTSTRAP_ADMIN_EMAIL,
      issuer: variables.IDENTITY_ISSUER ?? localIssuerName,
    };
  }
  return usesLocalIssuer ? localAdmin : null;
};

const parseTrustedProxies = (parts: readonly string[]): Config['trustProxy'] => {
  const [firstPart, ...otherParts] = parts;
  if (firstPart === undefined) return null;
  if (otherParts.length === 0 && /^\d+$/.test(firstPart)) return Number(firstPart);
  return parts.flatMap((part) => (part === 'loopback' ? ['127.0.0.0/8', '::1'] : [part]));
};

const limitOf = (value: LimitRule | 'off' | undefined, defaultValue: LimitRule | null): LimitRule | null => {
  if (value === undefined) return defaultValue;
  return value === 'off' ? null : value;
};
