import type { Clock, Instant, OneTimeCode, OneTimeCodePurpose, OneTimeCodeStore } from '@portico/domain';
import type { LocalTokenClaims } from './local-issuer.ts';
import { digestOf } from './one-time-code.ts';

/** The user identified by a token from the local issuer. */
export type LocalUser = Pick<LocalTokenClaims, 'uid' | 'email' | 'emailVerified' | 'groups'>;

/** The payload of a code for each purpose. */
interface Payloads {
  readonly 'sign-in': LocalUser;
  readonly authorization: {
    readonly user: LocalUser;
    readonly clientId: string;
    readonly redirectUri: string;
    readonly challenge: string;
    readonly nonce: string | null;
  };
  readonly refresh: { readonly user: LocalUser; readonly clientId: string };
}

export interface LocalCodes {
  put<Purpose extends OneTimeCodePurpose>(
    code: string,
    purpose: Purpose,
    payload: Payloads[Purpose],
    expiresAt: Instant,
  ): Promise<void>;
  /** Consumes the code and returns its payload; null if the code is not valid. */
  take<Purpose extends OneTimeCodePurpose>(
    code: string,
    purpose: Purpose,
  ): Promise<(Payloads[Purpose] & Pick<OneTimeCode, 'expiresAt'>) | null>;
}

/** Wraps the store so that it accepts plain codes instead of digests, and typed payloads. */
export const createLocalCodes = (codes: OneTimeCodeStore, clock: Pick<Clock, 'now'>): LocalCodes => ({
  put: (code, purpose, payload, expiresAt) =>
    codes.put({ digest: digestOf(code), purpose, payload: JSON.stringify(payload), expiresAt }, clock.now()),

  async take<Purpose extends OneTimeCodePurpose>(code: string, purpose: Purpose) {
    const entry = await codes.take(digestOf(code), purpose, clock.now());
    // The cast is safe, because only `put` writes payloads.
    return entry && { ...(JSON.parse(entry.payload) as Payloads[Purpose]), expiresAt: entry.expiresAt };
  },
});
