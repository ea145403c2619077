import { join } from 'node:path';
import { createLocalIssuer, createOidcTokenVerifier } from '@portico/identity';
import { isPorticoError, type TokenVerifier } from '@portico/domain';
import { Closable, type Module, type SettingsStore } from '../registry.ts';

/** Identity tokens of the configured issuer, of the local one, or of both. */
export const identityModule: Module = (provide) => {
  provide('localIssuer', ['config', 'clock'], ({ identity, dataDir }, clock) =>
    identity.local ? createLocalIssuer({ folder: join(dataDir, 'identity'), clock }) : null,
  );
  provide(
    'tokens',
    ['config', 'clock', 'database', 'localIssuer'],
    ({ identity }, clock, { settings }, localIssuer) => {
      const local = localIssuer?.verifier() ?? null;
      if (!identity.issuer) return local ?? refuseAll;
      const oidc = createOidcTokenVerifier({ ...identity.issuer, clock, storage: keySetStorage(settings) });
      return new Closable(local ? either(local, oidc) : oidc, () => oidc.close());
    },
  );
};

/** The last good key set outlives a restart while the provider is down. */
const keySetStorage = (settings: SettingsStore) => ({
  load: () => settings.get('identity-key-set'),
  save: (text: string) => settings.put('identity-key-set', text),
});

const either = (first: TokenVerifier, second: TokenVerifier): TokenVerifier => ({
  verify: (token) =>
    first.verify(token).catch((error: unknown) => {
      if (isPorticoError(error, 'invalid_token')) return second.verify(token);
      throw error;
    }),
});
