import type { Clock, Instant, OneTimeCode, OneTimeCodePurpose, OneTimeCodeStore } from '@portico/domain';
import type { LocalTokenClaims } from './local-issuer.ts';
import { digestOf } from './one-time-code.ts';

/** Whom a token of the local issuer is about. */
export type LocalUser = Pick<LocalTokenClaims, 'uid' | 'email' | 'emailVerified' | 'groups'>;

/** What the codes stand for. */
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
  /** Uses the code up; null if it is not good. */
  take<Purpose extends OneTimeCodePurpose>(
    code: string,
    purpose: Purpose,
  ): Promise<(Payloads[Purpose] & Pick<OneTimeCode, 'expiresAt'>) | null>;
}

/** The store's codes by the codes themselves, with what they stand for at the local issuer. */
export const createLocalCodes = (codes: OneTimeCodeStore, clock: Pick<Clock, 'now'>): LocalCodes => ({
  put: (code, purpose, payload, expiresAt) =>
    codes.put({ digest: digestOf(code), purpose, payload: JSON.stringify(payload), expiresAt }, clock.now()),

  async take<Purpose extends OneTimeCodePurpose>(code: string, purpose: Purpose) {
    const taken = await codes.take(digestOf(code), purpose, clock.now());
    // Safe: only `put` writes them.
    return taken && { ...(JSON.parse(taken.payload) as Payloads[Purpose]), expiresAt: taken.expiresAt };
  },
});
