import type { Logger } from 'pino';
import type { SealedSecrets, SealedStore } from '@portico/domain';
import { keyIdOf, makeSecretsKey, parseSecretsKey, sealingKeyIdOf, UnknownKeyError } from '@portico/secrets';
import { ensureFile, readIfPresent } from '@portico/system';
import type { Config } from '../config.ts';
import { ConfigurationError } from '../environment.ts';

/** Keys of 32 bytes: the current key seals, and the previous keys still open sealed data. */
export interface SecretsKeys {
  readonly current: Uint8Array;
  readonly previous: readonly Uint8Array[];
}

/** Thrown if sealed data cannot be opened. The message names the missing key and possible remedies. */
export class LostKeyError extends Error {
  override readonly name = 'LostKeyError';
}

export const remedies =
  'put that key back, or set it in SECRETS_KEY_PREVIOUS, or, if it is permanently lost, run "portico keys reset"';

/**
 * Returns the configured keys. Creates a missing key file, but throws a `LostKeyError` if the database contains data
 * that only a different key opens. Processes that start concurrently all get the same key.
 */
export const openSecretsKeys = async (
  { secretsKey, production }: Pick<Config, 'secretsKey' | 'production'>,
  sealedStore: Pick<SealedStore, 'read'>,
  logger: Logger,
): Promise<SecretsKeys> => {
  const presentKeys = await readSecretsKeys(secretsKey);
  if (presentKeys.current) return { ...presentKeys, current: presentKeys.current };
  const { path, previous } = presentKeys;
  const missingKeyIds = findMissingKeys(await sealedStore.read(), previous);
  // A process creates the file before it seals anything: the file may have appeared since it was read.
  const text = missingKeyIds.length > 0 ? await readKeyFile(path) : null;
  if (missingKeyIds.length > 0 && text === null) {
    throw new LostKeyError(
      `${path} is missing, but the database has data sealed by ${formatKeyIds(missingKeyIds)}: ${remedies}.`,
    );
  }
  const { key, isNew } = await createSecretsKeyFile(path, makeSecretsKey());
  if (isNew && production)
    logger.warn({ path }, 'A new secrets key was created: keep a copy of this file separate from the backups');
  return { current: key, previous };
};

export type PresentKeys =
  | { readonly current: Uint8Array; readonly previous: readonly Uint8Array[] }
  /** `path` is the file where a key has to be created. */
  | { readonly current: null; readonly path: string; readonly previous: readonly Uint8Array[] };

/** Reads the keys without creating one. Throws a `ConfigurationError` if the file contains no key. */
export const readSecretsKeys = async (secretsKey: Config['secretsKey']): Promise<PresentKeys> => {
  const previous = secretsKey.previous.map((text) => parseSecretsKey(text, 'SECRETS_KEY_PREVIOUS'));
  if (secretsKey.from === 'value') return { current: parseSecretsKey(secretsKey.current, 'SECRETS_KEY'), previous };
  const { path } = secretsKey;
  const text = await readKeyFile(path);
  return text === null ? { current: null, path, previous } : { current: parseKeyText(text, path), previous };
};

/** Creates the file with this key unless it already exists; returns the key in the file. */
export const createSecretsKeyFile = async (
  path: string,
  newKey: string,
): Promise<{ readonly key: Uint8Array; readonly isNew: boolean }> => {
  const { text, isNew } = await ensureFile(path, () => newKey).catch((error: unknown) => {
    throw createKeyFileError(path, 'cannot be created', error);
  });
  return { key: parseKeyText(text, path), isNew };
};

/** Returns the error for a pepper that cannot be opened: a different key sealed it, or it was changed. */
export const createLostPepperError = ({ current, previous }: SecretsKeys, error: unknown): LostKeyError =>
  error instanceof UnknownKeyError
    ? new LostKeyError(
        `The database was sealed with the key ${error.keyId}, but the configuration has ${formatKeyIds([current, ...previous].map(keyIdOf))}: ${remedies}.`,
      )
    : new LostKeyError(
        'The pepper of the API keys was changed in the database and cannot be opened: restore a backup or, if there is none, run "portico keys reset".',
        { cause: error },
      );

/** Returns the ids of the keys that sealed something and are not among the known keys. */
export const findMissingKeys = (
  { collections, credentials, mails, calls, webhooks, pepper }: SealedSecrets,
  knownKeys: readonly Uint8Array[],
): readonly string[] => {
  const sealedTexts = [
    pepper,
    ...collections.map(({ storedAuthentication }) => storedAuthentication?.sealedValue),
    ...credentials.map(({ sealed }) => sealed),
    ...mails.map(({ sealed }) => sealed),
    ...calls.map(({ sealed }) => sealed),
    ...webhooks.map(({ sealed }) => sealed),
  ];
  const missingIds = new Set(sealedTexts.flatMap((text) => (text ? (sealingKeyIdOf(text) ?? []) : [])));
  for (const key of knownKeys) missingIds.delete(keyIdOf(key));
  return [...missingIds];
};

export const formatKeyIds = (ids: readonly string[]): string =>
  `${ids.length > 1 ? 'the keys' : 'the key'} ${ids.join(', ')}`;

const readKeyFile = async (path: string): Promise<string | null> => {
  try {
    return await readIfPresent(path);
  } catch (error) {
    throw createKeyFileError(path, 'cannot be read', error);
  }
};

const parseKeyText = (text: string, path: string): Uint8Array => {
  try {
    return parseSecretsKey(text, path);
  } catch (error) {
    throw new ConfigurationError([`SECRETS_KEY_FILE: ${(error as Error).message}`]);
  }
};

const createKeyFileError = (path: string, problem: string, error: unknown): ConfigurationError =>
  new ConfigurationError([
    `SECRETS_KEY_FILE: ${path} ${problem} (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
  ]);
