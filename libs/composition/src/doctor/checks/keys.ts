import { keyIdOf } from '@portico/secrets';
import { isWithin } from '../../wiring/embedded-files.ts';
import { keysMissing, namedKeys, readSecretsKeys, waysOut } from '../../wiring/secrets-key.ts';
import { ok, wrong, type Check } from '../check.ts';
import { sentence } from '../run-checks.ts';
import { askingStores } from '../asking-stores.ts';

export const keyChecks: readonly Check[] = [
  {
    id: 'keys.secrets',
    needs: ['configuration'],
    alsoNeeds: ({ secretsKey, dataDir }) =>
      secretsKey.from === 'file' && isWithin(dataDir, secretsKey.path) ? ['data.folder'] : [],
    ask: async ({ config }) => {
      const keys = await readSecretsKeys(config().secretsKey);
      if (keys.current) return ok(`The secrets key is ${keyIdOf(keys.current)}.`);
      return ok(`${keys.path} does not exist; a start creates it if nothing is sealed yet.`);
    },
    advice: 'Put a copy of the right key there, or correct SECRETS_KEY_FILE.',
  },
  {
    id: 'keys.sealed',
    needs: ['keys.secrets', 'database.tables'],
    ask: askingStores(
      async ({ sealed }, { config }) => {
        const keys = await readSecretsKeys(config().secretsKey);
        const known = [...(keys.current ? [keys.current] : []), ...keys.previous];
        const missing = keysMissing(await sealed.read(), known);
        if (missing.length === 0) return ok('The configured keys open everything that is sealed.');
        const have = keys.current
          ? `the configuration has ${namedKeys(known.map(keyIdOf))}`
          : `${keys.path} is missing`;
        return wrong(
          `The database has data sealed by ${namedKeys(missing)}, but ${have}.`,
          sentence(waysOut[0]?.toUpperCase() + waysOut.slice(1)),
        );
      },
      () => ok('Nothing is sealed yet.'),
    ),
    advice: 'Put the right key back, or set it in SECRETS_KEY_PREVIOUS.',
  },
];
