import { keyIdOf } from '@portico/secrets';
import { isWithin } from '../../wiring/embedded-files.ts';
import { findMissingKeys, formatKeyIds, readSecretsKeys, remedies } from '../../wiring/secrets-key.ts';
import { ok, wrong, type Check } from '../check.ts';
import { sentence } from '../run-checks.ts';
import { checkStores } from '../check-stores.ts';

export const keyChecks: readonly Check[] = [
  {
    id: 'keys.secrets',
    needs: ['configuration'],
    alsoNeeds: ({ secretsKey, dataDir }) =>
      secretsKey.from === 'file' && isWithin(dataDir, secretsKey.path) ? ['data.folder'] : [],
    execute: async ({ config }) => {
      const keys = await readSecretsKeys(config().secretsKey);
      if (keys.current) return ok(`The secrets key is ${keyIdOf(keys.current)}.`);
      return ok(`${keys.path} does not exist; a start creates it if nothing is sealed yet.`);
    },
    advice: 'Put a copy of the right key there, or correct SECRETS_KEY_FILE.',
  },
  {
    id: 'keys.sealed',
    needs: ['keys.secrets', 'database.tables'],
    execute: checkStores(
      async ({ sealed }, { config }) => {
        const keys = await readSecretsKeys(config().secretsKey);
        const known = [...(keys.current ? [keys.current] : []), ...keys.previous];
        const missing = findMissingKeys(await sealed.read(), known);
        if (missing.length === 0) return ok('The configured keys open everything that is sealed.');
        const available = keys.current
          ? `the configuration has ${formatKeyIds(known.map(keyIdOf))}`
          : `${keys.path} is missing`;
        return wrong(
          `The database has data sealed by ${formatKeyIds(missing)}, but ${available}.`,
          sentence(remedies[0]?.toUpperCase() + remedies.slice(1)),
        );
      },
      () => ok('Nothing is sealed yet.'),
    ),
    advice: 'Put the right key back, or set it in SECRETS_KEY_PREVIOUS.',
  },
];
