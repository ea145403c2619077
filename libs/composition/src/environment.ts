import { readFileSync } from 'node:fs';
import { localIssuerName } from '@portico/identity';
import type { z } from 'zod';
import { findSignInContradictions } from './sign-in.ts';
import { variablesSchema, type Variables } from './variables.ts';

/** Variables by name, as in `process.env`; unknown variables are ignored. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Thrown for an invalid configuration. The message names every invalid variable, its value (unless it is secret) and
 * the expected values.
 */
export class ConfigurationError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}

/** The secret variables, including URLs, because most contain a password. Each may also be set as `NAME_FILE`. */
const secrets = [
  'SECRETS_KEY',
  'SECRETS_KEY_PREVIOUS',
  'DATABASE_URL',
  'REDIS_URL',
  'QDRANT_API_KEY',
  'SMTP_URL',
] as const;
export const isSecretVariable = (name: string): boolean => (secrets as readonly string[]).includes(name);
/** Returns whether a value is secret. Any other URL may also contain a password. */
const isSecret = (name: string, value: string): boolean =>
  isSecretVariable(name) || (/_(URL|ISSUER|ENDPOINT)$/.test(name) && value.includes('@'));

/**
 * Parses the variables and fills in defaults. An empty variable or file counts as absent; a secret may be set as
 * `NAME_FILE`. Throws one `ConfigurationError` that lists every problem.
 */
export const readEnvironment = (variables: Environment): Variables => {
  const presentVariables = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''),
  );
  const problems: string[] = [];
  const allVariables = { ...presentVariables, ...readSecretFiles(presentVariables, problems) };
  const result = variablesSchema.safeParse(allVariables);
  if (!result.success) problems.push(...result.error.issues.map((issue) => describe(issue, allVariables)));
  else problems.push(...findContradictions(result.data));
  if (problems.length > 0 || !result.success) throw new ConfigurationError(problems);
  return result.data;
};

/**
 * Reads the secrets that are set as files, except `SECRETS_KEY_FILE`, which is read later because it may have to be
 * created first.
 */
const readSecretFiles = (presentVariables: Environment, problems: string[]): Record<string, string> => {
  const contents: Record<string, string> = {};
  for (const name of secrets) {
    const path = presentVariables[`${name}_FILE`];
    if (!path) continue;
    if (presentVariables[name]) problems.push(`${name} and ${name}_FILE are both set: set one`);
    if (name === 'SECRETS_KEY') continue;
    try {
      const text = readFileSync(path, 'utf8').trim();
      if (text !== '') contents[name] = text;
    } catch (error) {
      problems.push(
        `${name}_FILE: ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
      );
    }
  }
  return contents;
};

const describe = ({ path, message }: z.core.$ZodIssue, values: Environment): string => {
  const name = String(path[0]);
  const value = values[name] ?? '';
  const valueText = isSecret(name, value) ? `a value of ${value.length} characters` : JSON.stringify(value);
  return `${name}: read ${valueText}, expected ${message}`;
};

/** Returns the URL that traces are sent to, or null if none are recorded. */
export const collectorOf = (variables: Variables): string | null => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: baseEndpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesEndpoint } = variables;
  if (variables.OTEL_SDK_DISABLED || variables.OTEL_TRACES_EXPORTER === 'none') return null;
  return tracesEndpoint ?? (baseEndpoint === undefined ? null : `${baseEndpoint.replace(/\/+$/, '')}/v1/traces`);
};

const findContradictions = (variables: Variables): readonly string[] => {
  const isProduction = variables.NODE_ENV === 'production';
  const isTraced = collectorOf(variables) !== null;
  const rules: (readonly [boolean, string])[] = [
    [
      !!variables.IDENTITY_ISSUER && !variables.IDENTITY_AUDIENCE,
      'IDENTITY_AUDIENCE is missing: required with IDENTITY_ISSUER',
    ],
    [
      !variables.IDENTITY_ISSUER && !!(variables.IDENTITY_AUDIENCE || variables.IDENTITY_JWKS_URL),
      'IDENTITY_ISSUER is missing: required with IDENTITY_AUDIENCE or IDENTITY_JWKS_URL',
    ],
    [
      !variables.IDENTITY_ISSUER && !!variables.IDENTITY_AUTHORIZED_PARTIES,
      'IDENTITY_ISSUER is missing: required with IDENTITY_AUTHORIZED_PARTIES',
    ],
    [!!variables.MCP_AUDIENCE && !variables.PUBLIC_URL, 'PUBLIC_URL is missing: required with MCP_AUDIENCE'],
    [!!variables.MCP_AUDIENCE && !variables.IDENTITY_ISSUER, 'IDENTITY_ISSUER is missing: required with MCP_AUDIENCE'],
    [
      variables.IDENTITY_LOCAL === 'true' && variables.IDENTITY_ISSUER === localIssuerName,
      'IDENTITY_ISSUER and IDENTITY_LOCAL=true name the same issuer, with two sets of keys: set only one of them',
    ],
    [
      !variables.IDENTITY_ISSUER &&
        (variables.IDENTITY_LOCAL === 'false' || (isProduction && variables.IDENTITY_LOCAL !== 'true')),
      'IDENTITY_ISSUER is missing: required unless the local issuer is on (IDENTITY_LOCAL=true, for trying Portico out)',
    ],
    [
      isProduction && !variables.SECRETS_KEY && !variables.SECRETS_KEY_FILE,
      'SECRETS_KEY or SECRETS_KEY_FILE is missing: required in production',
    ],
    [
      !!variables.BOOTSTRAP_ADMIN_UID !== !!variables.BOOTSTRAP_ADMIN_EMAIL,
      'BOOTSTRAP_ADMIN_UID and BOOTSTRAP_ADMIN_EMAIL are required together',
    ],
    [
      variables.OPERATION_EMBEDDER === 'ollama' && !variables.OLLAMA_URL,
      'OLLAMA_URL is missing: required with OPERATION_EMBEDDER=ollama',
    ],
    [
      isTraced &&
        (variables.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? variables.OTEL_EXPORTER_OTLP_PROTOCOL) !== 'http/protobuf',
      'OTEL_EXPORTER_OTLP_PROTOCOL: Portico sends traces over http/protobuf only; most collectors accept it on port 4318',
    ],
    ...findSignInContradictions(variables),
    [!!variables.QDRANT_API_KEY && !variables.QDRANT_URL, 'QDRANT_URL is missing: required with QDRANT_API_KEY'],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, text]) => text);
};
