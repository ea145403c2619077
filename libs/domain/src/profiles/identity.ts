import type { Settings } from '../settings.ts';
import type { Profile } from './profile.ts';

/** What an identity token says that was found to be valid. */
export interface IdentityClaims {
  /** `iss`, to the letter: whose word it is that this is the subject. */
  readonly issuer: string;
  /** `sub`: 1 to 128 characters. */
  readonly uid: string;
  /** In lower case. */
  readonly email: string | null;
  readonly emailVerified: boolean;
}

/**
 * Whether a token with a profile's uid may bind the profile. Registration carries no credential, so anyone could have
 * registered this uid under another e-mail, or this e-mail under another uid (specification, section 2, "Binding").
 */
export const bindingAgrees = (
  check: Settings['identityEmailCheck'],
  email: string,
  claims: Pick<IdentityClaims, 'email' | 'emailVerified'>,
): boolean => {
  switch (check) {
    case 'off':
      return true;
    case 'claimed':
      return claims.email === email;
    case 'verified':
      return claims.email === email && claims.emailVerified;
  }
};

/** Whether anyone was seen to be this profile by an issuer that is on. Nobody was while it is not bound. */
export const canSignIn = ({ issuers }: Pick<Settings, 'issuers'>, { issuer }: Pick<Profile, 'issuer'>): boolean =>
  issuer !== null && issuers.includes(issuer);
