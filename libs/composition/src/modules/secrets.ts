import { availableParallelism } from 'node:os';
import type { Vault } from '@portico/domain';
import { createAesGcmVault, createArgon2KeyHasher, makeSecretsKey, parseSecretsKey } from '@portico/secrets';
import { ensureFile } from '@portico/system';
import type { Module, SettingsStore } from '../registry.ts';

/** What guards secrets at rest: AES-256-GCM with the configured key, argon2id with a pepper of the installation. */
export const secretsModule: Module = (provide) => {
  provide('secretsKey', ['config', 'logger'], async ({ secretsKey, production }, logger) => {
    const previous = secretsKey.previous.map((text) => parseSecretsKey(text, 'SECRETS_KEY_PREVIOUS'));
    if (secretsKey.from === 'value') return { current: parseSecretsKey(secretsKey.current, 'SECRETS_KEY'), previous };
    const { path } = secretsKey;
    const { text, made } = await ensureFile(path, makeSecretsKey);
    if (made && production)
      logger.warn({ path }, 'A new secrets key was made: keep a copy of this file apart from the backups');
    return { current: parseSecretsKey(text, path), previous };
  });
  provide('vault', ['secretsKey'], createAesGcmVault);
  provide('keys', ['secretsKey', 'database', 'chance'], async (secretsKey, { settings }, chance) =>
    createArgon2KeyHasher({
      pepper: await installationPepper(createAesGcmVault(secretsKey), settings, () => chance.bytes(32)),
      concurrency: Math.max(1, availableParallelism() - 1),
    }),
  );
};

const pepperName = 'api-key-pepper';

/**
 * Made once for a database and kept sealed in it, so that the tags of API keys outlive a change of the secrets key. What a
 * previous key sealed is sealed anew at the first start with the current one, and needs the previous one no more.
 */
const installationPepper = async (
  vault: Vault,
  settings: SettingsStore,
  makeBytes: () => Uint8Array,
): Promise<Uint8Array> => {
  const fresh = () => vault.seal(Buffer.from(makeBytes()).toString('base64'), pepperName);
  const sealed = (await settings.get(pepperName)) ?? (await settings.putIfAbsent(pepperName, fresh()));
  const pepper = vault.open(sealed, pepperName);
  if (!vault.isCurrent(sealed)) await settings.put(pepperName, vault.seal(pepper, pepperName));
  return Buffer.from(pepper, 'base64');
};
