import {
  type AuthenticationFailure,
  type CallerRow,
  createOperatorCaller,
  type Credential,
  type IdentifiedCaller,
  omitSecrets,
  type OwnerFailure,
  type Target,
  type TargetDetail,
  type TargetDetails,
} from '../../access/principal.ts';
import type { CollectionHead } from '../../collections/collection.ts';
import { isPorticoError } from '../../errors.ts';
import { type ClientId, parseId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import type { TokenUse } from '../../ports/token-verifier.ts';
import { isWellFormedSecret, listValidSecrets, type StoredSecret } from '../../profiles/api-key.ts';
import { canBind, type IdentityClaims } from '../../profiles/identity.ts';
import type { Profile } from '../../profiles/profile.ts';
import { isSuspended } from '../../profiles/suspension-machine.ts';
import { isExpired, toActingProfile } from '../../service-accounts/service-account.ts';
import type { Settings } from '../../settings.ts';
import { createBindingEntry } from '../audit/system-entry.ts';
import { isNewer, syncClaims } from '../groups/sync-claims.ts';

export type IdentifyingPorts = Pick<
  Ports,
  'callers' | 'random' | 'clock' | 'groups' | 'keys' | 'mailer' | 'profiles' | 'tokens'
>;

interface PresentedCredential<Detail extends TargetDetail> {
  readonly credential: Credential;
  /** The collection that the request is about, if any, and how much of it the response needs. */
  readonly target: Target<Detail> | null;
  /** Which tokens are accepted; only identity tokens by default. */
  readonly tokenUse?: TokenUse;
}

/** Identifies the owner of a credential; throws `identity_unavailable` if the owner cannot be determined now. */
export const identify = async <Detail extends TargetDetail>(
  ports: IdentifyingPorts,
  settings: Pick<Settings, 'identityEmailCheck'>,
  { credential, target, tokenUse = 'identity' }: PresentedCredential<Detail>,
): Promise<IdentifiedCaller<TargetDetails[Detail]> | AuthenticationFailure> => {
  switch (credential.kind) {
    case 'none':
      return 'no_credential';
    case 'malformed':
      return credential.credentialKind === 'key' ? 'invalid_api_credentials' : 'invalid_token';
    case 'token':
      return identifyByToken(ports, settings, { token: credential.token, use: tokenUse }, target);
    case 'key':
      return identifyByKey(ports, credential, target);
    case 'account':
      return identifyByAccount(ports, credential, target);
    case 'operator':
      return createOperatorCaller(credential, ports.clock.now());
  }
};

const identifyByToken = async <Detail extends TargetDetail>(
  ports: IdentifyingPorts,
  settings: Pick<Settings, 'identityEmailCheck'>,
  { token, use }: { readonly token: string; readonly use: TokenUse },
  target: Target<Detail> | null,
): Promise<IdentifiedCaller<TargetDetails[Detail]> | AuthenticationFailure> => {
  const claims = await readVerifiedClaims(ports, token, use);
  if (!claims) return 'invalid_token';
  const owner = await findOwner(ports, settings, { token, claims }, target);
  return typeof owner === 'string' && claims.isAccessToken ? `signed in, ${owner}` : owner;
};

const findOwner = async <Detail extends TargetDetail>(
  ports: IdentifyingPorts,
  settings: Pick<Settings, 'identityEmailCheck'>,
  { token, claims }: VerifiedToken,
  target: Target<Detail> | null,
): Promise<IdentifiedCaller<TargetDetails[Detail]> | OwnerFailure> => {
  const readRow = () => ports.callers.findByUid(claims.uid, target, ports.clock.now());
  const initialRow = await readRow();
  if (!initialRow) return 'unregistered';
  const { issuer, email } = initialRow.profile;
  if (issuer !== null && issuer !== claims.issuer) return 'unregistered';
  if (isSuspended(initialRow.profile)) return 'suspended';
  if (issuer === null && !(await isConfirmed(ports, settings, email, { token, claims }))) return 'unbound';
  const profile = issuer === null ? await bindProfile(ports, initialRow.profile, claims.issuer) : initialRow.profile;
  if (!profile) return 'unregistered';
  if (!isNewer(claims.groups, initialRow.claims)) return toIdentifiedCaller({ ...initialRow, profile }, 'token');
  await syncClaims(ports, profile, claims.groups);
  // Read again, so that a single statement authorizes the request based on the token's claims.
  const row = await readRow();
  if (row?.profile.issuer !== claims.issuer) return 'unregistered';
  return isSuspended(row.profile) ? 'suspended' : toIdentifiedCaller(row, 'token');
};

interface VerifiedToken {
  readonly token: string;
  readonly claims: IdentityClaims;
}

/**
 * Whether the token, or its issuer, reports the email address that binds a profile. Asks the issuer only about access
 * tokens, since an identity token has all that the issuer reports to this service.
 */
const isConfirmed = async (
  { tokens }: Pick<Ports, 'tokens'>,
  { identityEmailCheck }: Pick<Settings, 'identityEmailCheck'>,
  email: string,
  { token, claims }: VerifiedToken,
): Promise<boolean> => {
  if (canBind(identityEmailCheck, email, claims)) return true;
  if (!claims.isAccessToken) return false;
  const reportedEmail = await tokens.readUserInfo(token, claims);
  return reportedEmail !== null && canBind(identityEmailCheck, email, reportedEmail);
};

/** Returns the claims of a valid token, or null for any other text. */
export const readVerifiedClaims = async (
  { tokens }: Pick<Ports, 'tokens'>,
  token: string,
  use: TokenUse,
): Promise<IdentityClaims | null> => {
  try {
    return await tokens.verify(token, use);
  } catch (error) {
    if (isPorticoError(error, 'invalid_token')) return null;
    throw error;
  }
};

/**
 * Identifies a caller by API key. The order of checks is fixed (specification, "API keys"): shape and checksum, one
 * read, the tag, then the cached match or argon2. An unknown client costs the same as a wrong secret.
 */
const identifyByKey = async <Detail extends TargetDetail>(
  { callers, clock, keys }: IdentifyingPorts,
  { clientId, secret }: { readonly clientId: string; readonly secret: string },
  target: Target<Detail> | null,
): Promise<IdentifiedCaller<TargetDetails[Detail]> | AuthenticationFailure> => {
  const id = parseId<ClientId>(clientId);
  if (!id || !isWellFormedSecret(secret)) return 'invalid_api_credentials';
  const row = await callers.findByClientId(id, target, clock.now());
  const tag = keys.tag(secret);
  const matchingSecret = row && listLiveSecrets(row).find((storedSecret) => storedSecret.tag === tag);
  if (!row || !matchingSecret || !(await keys.matches(secret, matchingSecret.hash))) return 'invalid_api_credentials';
  return toIdentifiedCaller(row, 'key');
};

/**
 * Returns the secrets that are valid now: none for an admin, whose key is dormant, and none for a suspended profile.
 */
const listLiveSecrets = ({ profile, key, readAt }: CallerRow): readonly StoredSecret[] => {
  if (!key || profile.role !== 'client' || profile.status !== 'approved' || isSuspended(profile)) return [];
  return key.expiresAt !== null && readAt >= key.expiresAt ? [] : listValidSecrets(key, readAt);
};

/**
 * Identifies a service account, with the same order of checks; the shape and checksum were validated when the id was
 * parsed from the token.
 */
const identifyByAccount = async <Detail extends TargetDetail>(
  { callers, clock, keys }: IdentifyingPorts,
  { id, token }: Extract<Credential, { kind: 'account' }>,
  target: Target<Detail> | null,
): Promise<IdentifiedCaller<TargetDetails[Detail]> | AuthenticationFailure> => {
  const row = await callers.findByAccountId(id, target);
  const tag = keys.tag(token);
  const now = clock.now();
  const matchingSecret =
    row?.key && !isExpired(row.account, now) && listValidSecrets(row.key, now).find((secret) => secret.tag === tag);
  if (!matchingSecret || !(await keys.matches(token, matchingSecret.hash))) return 'invalid_token';
  const { account, epochs, target: collection } = row;
  return {
    profile: toActingProfile(account),
    limits: { override: null, tier: null, groupTier: null },
    epochs,
    target: collection,
    hasGrant: false,
    rules: [],
    ownsTarget: false,
    accessUntil: null,
    readAt: now,
    via: 'account',
    scopes: account.scopes,
  };
};

const toIdentifiedCaller = <Head extends CollectionHead>(
  row: CallerRow<Head>,
  via: IdentifiedCaller['via'],
): IdentifiedCaller<Head> => ({
  ...omitSecrets(row),
  via,
});

/**
 * Binds an unbound profile. Returns null if the profile no longer exists, or if another issuer bound it first. The
 * binding is not part of the request's own change: it remains valid even if the request fails.
 */
const bindProfile = async (
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
            entries: [createBindingEntry(ports, state.profile, issuer)],
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
