import { bindingAgrees } from './binding.ts';
import { verifiedClaims } from '../access/identify.ts';
import { systemEntry } from '../audit/entries.ts';
import { PorticoError } from '../errors.ts';
import type { ProfileId } from '../ids.ts';
import type { Deadline, Ports, Profile } from '../ports/index.ts';
import type { Settings } from '../settings.ts';

export interface Registration {
  /** The identity provider's user id (`sub`), as the caller says it. */
  readonly uid: string;
  /** As it was sent; it is kept in lower case. */
  readonly email: string;
  readonly fullName: string;
  readonly companyName: string | null;
}

type Needs = Pick<Ports, 'clock' | 'chance' | 'profiles' | 'tokens'>;

/**
 * Registers a profile with the role `client`, waiting for approval. A valid identity token of the same uid binds it at
 * once; any other token is ignored, unless the configuration demands one (specification, section 3).
 */
export const registerProfile =
  (ports: Needs, settings: Settings) =>
  async (registration: Registration, token: string | null, deadline: Deadline | null): Promise<Profile> => {
    const email = registration.email.toLowerCase();
    const bound = await tokenBinds(ports, settings, registration.uid, email, token);
    if (settings.registrationRequiresToken && !bound) throw new PorticoError('invalid_token');
    const now = ports.clock.now();
    const profile: Profile = {
      ...registration,
      id: ports.chance.uuid() as ProfileId,
      email,
      role: 'client',
      status: 'pending',
      bound,
      clientId: null,
      tier: null,
      createdAt: now,
      updatedAt: now,
      approvedAt: null,
    };
    const entry = systemEntry(ports, profile.id, { action: 'profile.register', profile_id: profile.id, bound });
    await ports.profiles.add(profile, { entries: [entry], jobs: [], deadline });
    return profile;
  };

const tokenBinds = async (
  { tokens }: Pick<Ports, 'tokens'>,
  { identityEmailCheck, registrationRequiresToken }: Settings,
  uid: string,
  email: string,
  token: string | null,
): Promise<boolean> => {
  if (token === null) return false;
  try {
    const claims = await verifiedClaims({ tokens }, token);
    return claims !== null && claims.uid === uid && bindingAgrees(identityEmailCheck, email, claims);
  } catch (error) {
    // A token that nobody can judge now binds nothing; only where one is demanded does that stop the registration.
    if (registrationRequiresToken || !(error instanceof PorticoError)) throw error;
    return false;
  }
};
