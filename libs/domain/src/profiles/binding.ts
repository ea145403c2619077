import { ofProfile, systemEntry } from '../audit/entries.ts';
import { isPorticoError } from '../errors.ts';
import { nextChangeAt } from '../instant.ts';
import type { AuditEntry } from '../ports/audit-log.ts';
import type { Ports, Profile } from '../ports/index.ts';
import type { IdentityClaims } from '../ports/token-verifier.ts';
import type { Settings } from '../settings.ts';

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

/**
 * Binds a profile that is not bound. Null where it is gone, or another issuer was faster. No part of the request's own change:
 * what the token has proven stays true whatever becomes of the request.
 */
export const bindProfile = async (
  ports: Pick<Ports, 'chance' | 'clock' | 'profiles'>,
  { id }: Pick<Profile, 'id'>,
  issuer: string,
): Promise<Profile | null> => {
  const now = ports.clock.now();
  try {
    const profile = await ports.profiles.update(id, (state) =>
      state.profile.issuer === null
        ? {
            profile: { ...state.profile, issuer, updatedAt: nextChangeAt(state.profile.updatedAt, now) },
            key: state.key,
            entries: [bindingEntry(ports, state.profile, issuer)],
            jobs: [],
            deadline: null,
          }
        : { ...state, entries: [], jobs: [], deadline: null },
    );
    return profile.issuer === issuer ? profile : null;
  } catch (error) {
    if (isPorticoError(error, 'user_not_found')) return null;
    throw error;
  }
};

/** The service's own entry for a binding, whose actor is the profile that is bound. */
export const bindingEntry = (ports: Pick<Ports, 'chance' | 'clock'>, profile: Profile, issuer: string): AuditEntry =>
  systemEntry(ports, profile, { action: 'profile.bind', ...ofProfile(profile), issuer });
