import { promoted } from './edit-profile.ts';
import { systemEntry } from '../audit/entries.ts';
import type { ProfileId } from '../ids.ts';
import { nextChangeAt } from '../instant.ts';
import type { Ports, Profile } from '../ports/index.ts';

/**
 * Makes the first admin while there is none: of the profile with this uid or e-mail, or of a new one, bound by its uid
 * alone and without a key pair. Answers it, or null where there is an admin already (specification, "First admin").
 */
export const claimFirstAdmin =
  (ports: Pick<Ports, 'clock' | 'chance' | 'profiles'>) =>
  async (identity: { readonly uid: string; readonly email: string }): Promise<Profile | null> => {
    const email = identity.email.toLowerCase();
    const now = ports.clock.now();
    const fresh: Profile = {
      id: ports.chance.uuid() as ProfileId,
      email,
      fullName: 'Administrator',
      companyName: null,
      role: 'admin',
      status: 'approved',
      uid: identity.uid,
      bound: true,
      clientId: null,
      tier: null,
      createdAt: now,
      updatedAt: now,
      approvedAt: now,
    };
    return ports.profiles.claimAdmin({ uid: identity.uid, email }, ({ admins, match }) => {
      if (admins > 0) return null;
      const profile = match
        ? {
            ...promoted({ ...match, status: match.status === 'rejected' ? 'pending' : match.status }, now),
            uid: identity.uid,
            bound: true,
            updatedAt: nextChangeAt(match.updatedAt, now),
          }
        : fresh;
      return {
        profile,
        entries: [systemEntry(ports, null, { action: 'admin.bootstrap', profile_id: profile.id })],
        jobs: [],
        deadline: null,
      };
    });
  };
