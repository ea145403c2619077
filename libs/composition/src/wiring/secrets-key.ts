import type { Logger } from 'pino';
import type { SealedSecrets, SealedStore } from '@portico/domain';
import { keyIdOf, makeSecretsKey, parseSecretsKey, sealingKeyId, UnknownKeyError } from '@portico/secrets';
import { ensureFile, readIfPresent } from '@portico/system';
import type { Config } from '../config.ts';
import { ConfigurationError } from '../environment.ts';

/** Each of 32 bytes: what seals, and what still opens. */
export interface SecretsKeys {
  readonly current: Uint8Array;
  readonly previous: readonly Uint8Array[];
}

/** What was sealed does not open: says what is wanted, and which ways out there are. */
export class LostKeyError extends Error {
  override readonly name = 'LostKeyError';
}

const waysOut =
  'put that key back, or give it in SECRETS_KEY_PREVIOUS, or, where it is lost for good, run "portico keys reset"';

/**
 * The keys that are configured. A key file that is not there is made, but never beside data that only another key opens:
 * then a `LostKeyError` is thrown. Of several processes that start at once all have the same key.
 */
export const openSecretsKeys = async (
  { secretsKey, production }: Pick<Config, 'secretsKey' | 'production'>,
  sealed: Pick<SealedStore, 'read'>,
  logger: Logger,
): Promise<SecretsKeys> => {
  const present = await readSecretsKeys(secretsKey);
  if (present.current) return { ...present, current: present.current };
  const { path, previous } = present;
  const missing = keysMissing(await sealed.read(), previous);
  // Whoever sealed something made the file before: it may have come since it was looked for.
  const text = missing.length > 0 ? await readKeyFile(path) : null;
  if (missing.length > 0 && text === null) {
    throw new LostKeyError(`${path} is not there, and the database holds what ${named(missing)} sealed: ${waysOut}.`);
  }
  const { key, made } = await makeSecretsKeyFile(path, makeSecretsKey());
  if (made && production)
    logger.warn({ path }, 'A new secrets key was made: keep a copy of this file apart from the backups');
  return { current: key, previous };
};

export type PresentKeys =
  | { readonly current: Uint8Array; readonly previous: readonly Uint8Array[] }
  /** The file that a key is to be made in. */
  | { readonly current: null; readonly path: string; readonly previous: readonly Uint8Array[] };

/** The keys that are there, without making one. Throws a `ConfigurationError` where a file holds none. */
export const readSecretsKeys = async (secretsKey: Config['secretsKey']): Promise<PresentKeys> => {
  const previous = secretsKey.previous.map((text) => parseSecretsKey(text, 'SECRETS_KEY_PREVIOUS'));
  if (secretsKey.from === 'value') return { current: parseSecretsKey(secretsKey.current, 'SECRETS_KEY'), previous };
  const { path } = secretsKey;
  const text = await readKeyFile(path);
  return text === null ? { current: null, path, previous } : { current: parsed(text, path), previous };
};

/** Makes the file with this key, unless there is one by now; returns the key that it holds. */
export const makeSecretsKeyFile = async (
  path: string,
  draft: string,
): Promise<{ readonly key: Uint8Array; readonly made: boolean }> => {
  const { text, made } = await ensureFile(path, () => draft).catch((error: unknown) => {
    throw unusable(path, 'cannot be made', error);
  });
  return { key: parsed(text, path), made };
};

/** What is said where the present keys do not open the pepper: by another key, or because it was changed. */
export const lostPepper = ({ current, previous }: SecretsKeys, error: unknown): LostKeyError =>
  error instanceof UnknownKeyError
    ? new LostKeyError(
        `The database wants the key ${error.keyId}, and ${named([current, ...previous].map(keyIdOf))} is configured: ${waysOut}.`,
      )
    : new LostKeyError(
        'What all API keys depend on was changed in the database and does not open: restore a backup, or, where there is none, run "portico keys reset".',
        { cause: error },
      );

/** The ids of the keys that are wanted and not among these. */
const keysMissing = (
  { collections, mails, pepper }: SealedSecrets,
  known: readonly Uint8Array[],
): readonly string[] => {
  const sealed = [
    pepper,
    ...collections.map(({ storedAuthentication }) => storedAuthentication?.sealedValue),
    ...mails.map((mail) => mail.sealed),
  ];
  const wanted = new Set(sealed.flatMap((text) => (text ? (sealingKeyId(text) ?? []) : [])));
  for (const key of known) wanted.delete(keyIdOf(key));
  return [...wanted];
};

const named = (ids: readonly string[]): string => `${ids.length > 1 ? 'the keys' : 'the key'} ${ids.join(', ')}`;

const readKeyFile = async (path: string): Promise<string | null> => {
  try {
    return await readIfPresent(path);
  } catch (error) {
    throw unusable(path, 'cannot be read', error);
  }
};

const parsed = (text: string, path: string): Uint8Array => {
  try {
    return parseSecretsKey(text, path);
  } catch (error) {
    throw new ConfigurationError([`SECRETS_KEY_FILE: ${(error as Error).message}`]);
  }
};

const unusable = (path: string, how: string, error: unknown): ConfigurationError =>
  new ConfigurationError([
    `SECRETS_KEY_FILE: ${path} ${how} (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
  ]);
