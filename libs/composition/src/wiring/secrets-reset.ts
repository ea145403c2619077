import { randomBytes } from 'node:crypto';
import { findLostSecrets, operatorAuthority, resetSecrets, type LostSecrets } from '@portico/domain';
import { createAesGcmCipher, makeSecretsKey, parseSecretsKey } from '@portico/secrets';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { dutiesOf } from '../process-role.ts';
import { openContainer } from './container.ts';
import { createSecretsKeyFile, readSecretsKeys } from './secrets-key.ts';

/** Recovers from a lost key. Opens only the stores, because a complete composition does not start without the key. */
export interface SecretsReset {
  /** Finds the secrets that no configured key opens. */
  find(): Promise<LostSecrets>;
  /** Removes these secrets, and creates a key if none is configured; returns the removed secrets. */
  reset(): Promise<LostSecrets>;
  close(): Promise<void>;
}

export const openSecretsReset = async (config: Config, logger: Logger): Promise<SecretsReset> => {
  const { systemModule } = await import('./modules/system.ts');
  const { databaseModule } = await import('./modules/database.ts');
  const { get, close } = openContainer(config, dutiesOf('tool', config), logger, [systemModule, databaseModule]);
  try {
    const presentKeys = await readSecretsKeys(config.secretsKey);
    const { stores } = await get('database');
    const [clock, random] = [await get('clock'), await get('random')];
    const cipherOf = (current: Uint8Array) => createAesGcmCipher({ current, previous: presentKeys.previous });
    const newKey = makeSecretsKey();
    return {
      find: () =>
        findLostSecrets({
          cipher: cipherOf(presentKeys.current ?? parseSecretsKey(newKey, 'draft')),
          sealed: stores.sealed,
        })(),
      reset: async () => {
        const currentKey = presentKeys.current ?? (await createSecretsKeyFile(presentKeys.path, newKey)).key;
        const resetLost = resetSecrets({ cipher: cipherOf(currentKey), sealed: stores.sealed, clock, random });
        return resetLost(operatorAuthority, randomBytes(32).toString('base64'));
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
