import type { ProfileId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import { toStoredEmail } from '../../profiles/email.ts';
import { canSignIn } from '../../profiles/identity.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { Settings } from '../../settings.ts';
import { profileFieldsOf, createSystemEntry } from '../audit/system-entry.ts';
import { promote } from './edit-profile.ts';

/** The first admin, as configured by the operator, and the issuer whose tokens identify them. */
export interface FirstAdmin {
  readonly uid: string;
  readonly email: string;
  readonly issuer: string;
}

/**
 * Creates the first admin if no admin can sign in through an enabled issuer: from the profile with this uid or email,
 * or else as a new profile without a key pair, bound by uid and issuer. Returns the admin, or null if there already is
 * one (specification, "First admin").
 */
export const claimFirstAdmin =
  (ports: Pick<Ports, 'clock' | 'random' | 'profiles'>, settings: Pick<Settings, 'issuers'>) =>
  async ({ uid, issuer, ...input }: FirstAdmin): Promise<Profile | null> => {
    const email = toStoredEmail(input.email);
    const now = ports.clock.now();
    const newAdmin: Profile = {
      id: ports.random.uuid() as ProfileId,
      email,
      fullName: 'Administrator',
      companyName: null,
      role: 'admin',
      status: 'approved',
      uid,
      issuer,
      clientId: null,
      tier: null,
      suspendedAt: null,
      createdAt: now,
      updatedAt: now,
      approvedAt: now,
    };
    return ports.profiles.claimAdmin({ uid, email }, ({ admins, match }) => {
      if (admins.some((admin) => canSignIn(settings, admin))) return null;
      const profile = match
        ? {
            ...promote(match.status === 'rejected' ? { ...match, status: 'pending' } : match, now),
            uid,
            issuer,
            updatedAt: nextChangeAt(match.updatedAt, now),
          }
        : newAdmin;
      return {
        profile,
        entries: [createSystemEntry(ports, null, { action: 'admin.bootstrap', ...profileFieldsOf(profile), issuer })],
        deadline: null,
      };
    });
  };
