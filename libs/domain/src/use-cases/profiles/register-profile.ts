import type { Deadline } from '../../deadline.ts';
import { PorticoError } from '../../errors.ts';
import type { ProfileId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';
import { isSameEmail, toStoredEmail } from '../../profiles/email.ts';
import { canBind, type IdentityClaims } from '../../profiles/identity.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { Settings } from '../../settings.ts';
import { createBindingEntry, profileFieldsOf, createSystemEntry } from '../audit/system-entry.ts';
import { createNoticeJobs } from '../mails/mail-jobs.ts';

export interface Registration {
  /** The identity provider's user id (`sub`), as stated by the caller. */
  readonly uid: string;
  /** The email as sent; `toStoredEmail` converts it before it is stored. */
  readonly email: string;
  readonly fullName: string;
  readonly companyName: string | null;
}

type RequiredPorts = Pick<Ports, 'clock' | 'random' | 'profiles' | 'mailer'>;

/**
 * Registers a profile with the role `client`, pending approval; a valid identity token may bind it immediately. Throws
 * `invalid_body` if the token is for the same uid with a different email, and `invalid_token` if the configuration
 * requires a token that binds the profile and there is none (specification, section 3).
 */
export const registerProfile =
  (ports: RequiredPorts, settings: Settings) =>
  async (registration: Registration, identity: IdentityClaims | null, deadline: Deadline | null): Promise<Profile> => {
    const email = toStoredEmail(registration.email);
    const issuer = findBindingIssuer(settings, { uid: registration.uid, email }, identity);
    const now = ports.clock.now();
    const profile: Profile = {
      ...registration,
      id: ports.random.uuid() as ProfileId,
      email,
      role: 'client',
      status: 'pending',
      issuer,
      clientId: null,
      tier: null,
      suspendedAt: null,
      createdAt: now,
      updatedAt: now,
      approvedAt: null,
    };
    // Without a token that binds the profile, the caller has not proven to be its owner.
    const actor = issuer === null ? null : profile;
    const message = { action: 'profile.register' as const, ...profileFieldsOf(profile), bound: issuer !== null };
    const entry = createSystemEntry(ports, actor, message);
    const entries = issuer === null ? [entry] : [entry, createBindingEntry(ports, profile, issuer)];
    await ports.profiles.add(profile, { entries, jobs: await createNoticeJobs(ports, settings), deadline });
    return profile;
  };

/** Returns the issuer of the token that binds the registration; null if no token does. */
const findBindingIssuer = (
  { identityEmailCheck, registrationRequiresToken }: Settings,
  { uid, email }: Pick<Registration, 'uid' | 'email'>,
  identity: IdentityClaims | null,
): string | null => {
  if (identity?.uid === uid) {
    if (canBind(identityEmailCheck, email, identity)) return identity.issuer;
    if (identity.email !== null && !isSameEmail(identity.email, email)) {
      throw new PorticoError('invalid_body', { reason: 'email must be that of the token' });
    }
  }
  if (registrationRequiresToken) throw new PorticoError('invalid_token');
  return null;
};
