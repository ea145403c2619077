import { ManualClock, recordLog } from '@portico/contracts';
import { isPorticoError } from '@portico/domain';
import { stopTime, type StoppedTime } from '@portico/test-servers';
import { onTestFinished, vi } from 'vitest';
import { createOidcTokenVerifier, type OidcTokenVerifierOptions } from '../src/oidc-token-verifier.ts';
import type { KeySetStorage } from '../src/remote-key-source.ts';
import { startProvider, type SigningKey } from './loopback-provider.ts';

export const audience = 'app';

/** A fetch timeout for tests that do not test timeouts. It serves only to end hangs. */
export const longTimeoutMs = 600_000;

/** Stops time for the rest of the test, so that a fetch times out only when the test lets time pass. */
export const useStoppedTime = (): StoppedTime => {
  const time = stopTime(vi);
  onTestFinished(time.restore);
  return time;
};

export interface MemoryStorage extends KeySetStorage {
  /** Returns the last saved text. */
  readonly text: () => string | null;
}

export const createMemoryStorage = (): MemoryStorage => {
  let savedText: string | null = null;
  return {
    load: async () => savedText,
    save: async (text) => {
      savedText = text;
    },
    text: () => savedText,
  };
};

/**
 * Starts a provider with these keys, and a verifier for its tokens. Returns them with all of the verifier's
 * dependencies.
 */
export const startProviderAndVerifier = async (
  keys: readonly SigningKey[],
  options: Partial<OidcTokenVerifierOptions> = {},
) => {
  const provider = await startProvider(keys);
  const clock = new ManualClock();
  const storage = createMemoryStorage();
  const warnings: { readonly level: 'warn' | 'debug'; readonly message: string; readonly error: unknown }[] = [];
  const recordWarning = (level: 'warn' | 'debug') => (fields: { readonly err?: unknown }, message: string) =>
    void warnings.push({ level, message, error: fields.err });
  const start = (overrides: Partial<OidcTokenVerifierOptions> = {}) => {
    const verifier = createOidcTokenVerifier({
      issuer: provider.issuer,
      audience,
      clock,
      storage,
      timeoutMs: longTimeoutMs,
      log: { ...recordLog(), warn: recordWarning('warn'), debug: recordWarning('debug') },
      ...options,
      ...overrides,
    });
    onTestFinished(() => verifier.close());
    return verifier;
  };
  const claims = (changes: Record<string, unknown> = {}) => ({
    iss: provider.issuer,
    aud: audience,
    sub: 'alice',
    exp: Math.floor(clock.now() / 1_000) + 3_600,
    ...changes,
  });
  /** Simulates a new process with the same storage. The outer `clock` still belongs to the old process. */
  const restart = () => {
    const newClock = clock.copyForNewProcess();
    return { clock: newClock, verifier: start({ clock: newClock }) };
  };
  return { provider, clock, storage, warnings, claims, verifier: start(), start, restart };
};

/** Returns `good` if the attempt succeeds, otherwise the code of a `PorticoError` or any other error as text. */
export const outcomeOf = async (attempt: Promise<unknown>): Promise<string> => {
  try {
    await attempt;
    return 'good';
  } catch (error) {
    return isPorticoError(error) ? error.code : `threw ${String(error)}`;
  }
};

export const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
