import type { AuditEntry } from '../../audit/audit-entry.ts';
import { isPorticoError } from '../../errors.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import type { Profile } from '../../profiles/profile.ts';
import { ofProfile, systemEntry } from '../audit/system-entry.ts';

/**
 * Binds an unbound profile. Returns null if the profile is gone, or if another issuer was faster. Not part of the
 * request's own change: what the token has proven stays true, whatever happens to the request.
 */
export const bindProfile = async (
  ports: Pick<Ports, 'random' | 'clock' | 'profiles'>,
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
            deadline: null,
          }
        : { ...state, deadline: null },
    );
    return profile.issuer === issuer ? profile : null;
  } catch (error) {
    if (isPorticoError(error, 'user_not_found')) return null;
    throw error;
  }
};

/** The service's own entry for a binding; its actor is the bound profile. */
export const bindingEntry = (ports: Pick<Ports, 'random' | 'clock'>, profile: Profile, issuer: string): AuditEntry =>
  systemEntry(ports, profile, { action: 'profile.bind', ...ofProfile(profile), issuer });
