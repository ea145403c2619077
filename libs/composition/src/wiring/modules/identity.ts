import { join } from 'node:path';
import {
  createLocalIssuer,
  createOidcTokenVerifier,
  fetchTimeoutMs,
  IssuerEndpoints,
  makeLocalIssuerKey,
} from '@portico/identity';
import { ensureFile } from '@portico/system';
import { isPorticoError, type TokenVerifier } from '@portico/domain';
import { ConfigurationError } from '../../environment.ts';
import { Closable, type Module, type KeyValueStore } from '../parts.ts';

/** Verifies identity tokens from the configured issuer, the local issuer, or both. */
export const identityModule: Module = (provide) => {
  provide('localIssuer', ['config', 'clock', 'logger'], async ({ identity, dataDir }, clock, logger) => {
    if (!identity.local) return null;
    const path = join(dataDir, 'local-issuer.key');
    const { text } = await ensureFile(path, makeLocalIssuerKey);
    try {
      return await createLocalIssuer({ key: text, clock, groupsClaim: identity.groupsClaim, log: logger });
    } catch {
      throw new ConfigurationError([
        `DATA_DIR: ${path} contains no key of the local issuer: remove it, and the next start creates a new one`,
      ]);
    }
  });
  provide('issuerEndpoints', ['config', 'clock', 'logger', 'database'], ({ signInWays }, clock, log, { settings }) => {
    const [signInWay] = signInWays;
    if (signInWay?.kind !== 'oidc') return () => [];
    const storage = createStorage('identity-endpoints', settings);
    const endpoints = new IssuerEndpoints({ issuer: signInWay.issuer, clock, storage, timeoutMs: fetchTimeoutMs, log });
    return new Closable(
      () => endpoints.getCurrent(),
      () => endpoints.close(),
    );
  });
  provide(
    'identity',
    ['config', 'clock', 'logger', 'database', 'localIssuer'],
    ({ identity }, clock, logger, { settings }, localIssuer) => {
      if (!identity.issuer) {
        if (!localIssuer) throw new Error('There is neither a configured issuer nor a local issuer');
        return { verifier: localIssuer.verifier, probe: null };
      }
      const { groupsClaim } = identity;
      const storage = createStorage('identity-key-set', settings);
      const { audiences: audience, ...issuer } = identity.issuer;
      const oidcVerifier = createOidcTokenVerifier({ ...issuer, audience, groupsClaim, clock, storage, log: logger });
      const verifier = localIssuer ? verifyByEither(localIssuer.verifier, oidcVerifier) : oidcVerifier;
      return new Closable({ verifier, probe: oidcVerifier.probe }, () => oidcVerifier.close());
    },
  );
};

/**
 * Creates a storage for the latest data from the provider, so that the data survives a restart while the provider is
 * unavailable.
 */
const createStorage = (name: string, settings: KeyValueStore) => ({
  load: () => settings.get(name),
  save: (text: string) => settings.put(name, text),
});

const verifyByEither = (firstVerifier: TokenVerifier, secondVerifier: TokenVerifier): TokenVerifier => ({
  verify: (token, use) =>
    firstVerifier.verify(token, use).catch((error: unknown) => {
      if (isPorticoError(error, 'invalid_token')) return secondVerifier.verify(token, use);
      throw error;
    }),
  readUserInfo: async (token, user) =>
    (await firstVerifier.readUserInfo(token, user)) ?? secondVerifier.readUserInfo(token, user),
});
