import { keyIdOf } from '@portico/secrets';
import { isWithin } from '../../wiring/embedded-files.ts';
import { findMissingKeys, formatKeyIds, readSecretsKeys, remedies } from '../../wiring/secrets-key.ts';
import { pass, fail, type Check } from '../check.ts';
import { toSentence } from '../run-checks.ts';
import { checkStores } from '../check-stores.ts';

export const keyChecks: readonly Check[] = [
  {
    id: 'keys.secrets',
    needs: ['configuration'],
    listExtraNeeds: ({ secretsKey, dataDir }) =>
      secretsKey.from === 'file' && isWithin(dataDir, secretsKey.path) ? ['data.folder'] : [],
    execute: async ({ getConfig }) => {
      const keys = await readSecretsKeys(getConfig().secretsKey);
      if (keys.current) return pass(`The secrets key is ${keyIdOf(keys.current)}.`);
      return pass(`${keys.path} does not exist; the next start creates it if nothing is sealed yet.`);
    },
    advice: 'Put a copy of the right key there, or correct SECRETS_KEY_FILE.',
  },
  {
    id: 'keys.sealed',
    needs: ['keys.secrets', 'database.tables'],
    execute: checkStores(
      async ({ sealed }, { getConfig }) => {
        const keys = await readSecretsKeys(getConfig().secretsKey);
        const knownKeys = [...(keys.current ? [keys.current] : []), ...keys.previous];
        const missingKeyIds = findMissingKeys(await sealed.read(), knownKeys);
        if (missingKeyIds.length === 0) return pass('The configured keys open everything that is sealed.');
        const available = keys.current
          ? `the configuration has ${formatKeyIds(knownKeys.map(keyIdOf))}`
          : `${keys.path} is missing`;
        return fail(
          `The database has data sealed by ${formatKeyIds(missingKeyIds)}, but ${available}.`,
          toSentence(remedies[0]?.toUpperCase() + remedies.slice(1)),
        );
      },
      () => pass('Nothing is sealed yet.'),
    ),
    advice: 'Put the right key back, or set it in SECRETS_KEY_PREVIOUS.',
  },
];
