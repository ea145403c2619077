import { ManualClock, recordLog } from '@portico/contracts';
import { startIdentityProvider, type SigningAlgorithm } from '@portico/test-servers';
import { onTestFinished } from 'vitest';
import { createOidcTokenVerifier, type OidcTokenVerifierOptions } from '../src/oidc-token-verifier.ts';
import { longTimeoutMs, createMemoryStorage } from './provider-and-verifier.ts';

/**
 * Starts a real provider (oidc-provider), which uses the system time, and a clock for verifiers that starts at the
 * system time.
 */
export const startRealProvider = async (algorithm: SigningAlgorithm = 'RS256', resources: readonly string[] = []) => {
  const provider = await startIdentityProvider({ algorithm, resources });
  onTestFinished(() => provider.close());
  const clock = new ManualClock();
  clock.jump(Date.now() - clock.now());
  const storage = createMemoryStorage();
  const warnings: string[] = [];
  const recordWarning = (_fields: object, message: string) => void warnings.push(message);
  const start = (overrides: Partial<OidcTokenVerifierOptions> = {}) => {
    const verifier = createOidcTokenVerifier({
      issuer: provider.issuer,
      audience: provider.clientId,
      clock,
      storage,
      timeoutMs: longTimeoutMs,
      log: { ...recordLog(), warn: recordWarning, debug: recordWarning },
      ...overrides,
    });
    onTestFinished(() => verifier.close());
    return verifier;
  };
  /** Starts a verifier with the same storage, as in a new process. */
  const restart = () => start({ clock: clock.copyForNewProcess() });
  const idTokenFor = async (uid: string) => (await provider.signIn({ uid })).idToken;
  return { provider, clock, storage, warnings, start, restart, idTokenFor };
};
