import {
  type AuthenticationFailure,
  type CallerRow,
  type Credential,
  type Identified,
  isKey,
  type Target,
  type TargetPart,
  type TargetParts,
} from '../../access/principal.ts';
import type { AuditEntry } from '../../audit/audit-entry.ts';
import type { CollectionHead } from '../../collections/collection.ts';
import { isPorticoError } from '../../errors.ts';
import { type ClientId, parseId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import { isWellFormedSecret, type StoredSecret } from '../../profiles/api-key.ts';
import { bindingAgrees, type IdentityClaims } from '../../profiles/identity.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { Settings } from '../../settings.ts';
import { ofProfile, systemEntry } from '../audit/system-entry.ts';

type Needs = Pick<Ports, 'callers' | 'random' | 'clock' | 'keys' | 'profiles' | 'tokens'>;

/** Identifies the owner of a credential; throws `identity_unavailable` if that cannot be decided now. */
export const identify = async <Part extends TargetPart>(
  ports: Needs,
  settings: Pick<Settings, 'identityEmailCheck'>,
  credential: Credential,
  target: Target<Part> | null,
): Promise<Identified<TargetParts[Part]> | AuthenticationFailure> => {
  switch (credential.kind) {
    case 'none':
      return 'no_credential';
    case 'malformed':
      return credential.form === 'key' ? 'invalid_api_credentials' : 'invalid_token';
    case 'token':
      return identifyByToken(ports, settings, credential.token, target);
    case 'key':
      return identifyByKey(ports, credential, target);
  }
};

const identifyByToken = async <Part extends TargetPart>(
  ports: Needs,
  { identityEmailCheck }: Pick<Settings, 'identityEmailCheck'>,
  token: string,
  target: Target<Part> | null,
): Promise<Identified<TargetParts[Part]> | AuthenticationFailure> => {
  const claims = await verifiedClaims(ports, token);
  if (!claims) return 'invalid_token';
  const row = await ports.callers.byUid(claims.uid, target);
  if (!row) return 'unregistered';
  const { issuer, email } = row.profile;
  if (issuer === claims.issuer) return identified(row, 'token');
  if (issuer !== null || !bindingAgrees(identityEmailCheck, email, claims)) return 'unregistered';
  const profile = await bindProfile(ports, row.profile, claims.issuer);
  return profile ? identified({ ...row, profile }, 'token') : 'unregistered';
};

/** Returns the claims of the credential's identity token if it is valid, registered or not; otherwise why they are not known. */
export const identityOf = async (
  ports: Pick<Ports, 'tokens'>,
  credential: Credential,
): Promise<IdentityClaims | AuthenticationFailure> => {
  if (credential.kind === 'none') return 'no_credential';
  if (isKey(credential)) return 'token_required';
  const claims = credential.kind === 'token' ? await verifiedClaims(ports, credential.token) : null;
  return claims ?? 'invalid_token';
};

/** Returns the claims of a valid token, or null for any other. */
const verifiedClaims = async ({ tokens }: Pick<Ports, 'tokens'>, token: string): Promise<IdentityClaims | null> => {
  try {
    return await tokens.verify(token);
  } catch (error) {
    if (isPorticoError(error, 'invalid_token')) return null;
    throw error;
  }
};

/**
 * The order of work is fixed (specification, "API keys"): shape and checksum, one read, the tag, then the memo or
 * argon2. An unknown client costs the same as a wrong secret.
 */
const identifyByKey = async <Part extends TargetPart>(
  { callers, clock, keys }: Needs,
  { clientId, secret }: { readonly clientId: string; readonly secret: string },
  target: Target<Part> | null,
): Promise<Identified<TargetParts[Part]> | AuthenticationFailure> => {
  const id = parseId<ClientId>(clientId);
  if (!id || !isWellFormedSecret(secret)) return 'invalid_api_credentials';
  const row = await callers.byClientId(id, target);
  const tag = keys.tag(secret);
  const match = row && liveSecrets(row, clock.now()).find((stored) => stored.tag === tag);
  if (!row || !match || !(await keys.matches(secret, match.hash))) return 'invalid_api_credentials';
  return identified(row, 'key');
};

/** The secrets that are valid now: none for an admin, whose key is asleep. */
const liveSecrets = ({ profile, key }: CallerRow, now: number): readonly StoredSecret[] => {
  if (!key || profile.role !== 'client' || profile.status !== 'approved') return [];
  return key.previous && now < key.previous.until ? [key.current, key.previous] : [key.current];
};

const identified = <Found extends CollectionHead>(
  { profile, limits, epochs, target, granted }: CallerRow<Found>,
  via: Identified['via'],
): Identified<Found> => ({
  profile,
  limits,
  epochs,
  target,
  granted,
  via,
});

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
