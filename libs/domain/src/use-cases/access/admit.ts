import {
  type AuthenticationFailure,
  type CallerRow,
  type Credential,
  type Identified,
  isAdmin,
  isKey,
  operatorCaller,
  type Principal,
  refuseUnscoped,
  type RequiredAuth,
  type Target,
  type TargetPart,
  type TargetParts,
  withoutSecrets,
} from '../../access/principal.ts';
import type { CollectionHead } from '../../collections/collection.ts';
import type { Deadline } from '../../deadline.ts';
import { type ErrorCode, isPorticoError, PorticoError } from '../../errors.ts';
import { type ClientId, parseId } from '../../ids.ts';
import { nextChangeAt } from '../../instant.ts';
import { clientSubject, type CountedRequest, effectiveLimit, type LimitRule } from '../../limits/limit.ts';
import type { Ports } from '../../ports/index.ts';
import type { TokenUse } from '../../ports/token-verifier.ts';
import { isWellFormedSecret, type StoredSecret, validSecrets } from '../../profiles/api-key.ts';
import { bindingAgrees, type IdentityClaims } from '../../profiles/identity.ts';
import type { Profile } from '../../profiles/profile.ts';
import { isSuspended } from '../../profiles/suspension-machine.ts';
import { actingProfile, isExpired, type Scope } from '../../service-accounts/service-account.ts';
import type { Settings } from '../../settings.ts';
import type { Counting } from '../../usage/usage-counter.ts';
import { bindingEntry } from '../audit/system-entry.ts';
import { followClaims, isNews } from '../groups/follow-claims.ts';

/** Who sends a request. */
export interface Sender {
  /** Callers without valid credentials are counted by it. It is asked only for them. */
  readonly address: string;
}

export interface AdmissionRequest<Part extends TargetPart = TargetPart> {
  readonly credential: Credential;
  /** Where an API key is not accepted, it counts as no credential. */
  readonly auth: RequiredAuth;
  /** What a service account must hold; without one, no service account may call. */
  readonly scope?: Scope | null;
  /** Which tokens are accepted; identity tokens alone by default. */
  readonly tokenUse?: TokenUse;
  /** The collection that the request is about, if any, and how much of it the answer needs. */
  readonly target: Target<Part> | null;
  readonly sender: Sender;
  /** The refusal of a valid token without a profile; `invalid_token` if absent. */
  readonly unregistered?: 'user_not_found' | undefined;
  /** When the answer must be ready; null if nothing waits for one. Passed on to the principal. */
  readonly deadline: Deadline | null;
  /** The admission of this request before its body was complete. It is judged again, but counted only once. */
  readonly earlier?: Pick<Admission, 'counted'> | null | undefined;
}

export interface Admission<Found extends CollectionHead = CollectionHead> {
  readonly principal: Principal<Found>;
  /** Null if the request is not counted, as for an admin. */
  readonly counted: CountedRequest | null;
}

type RegistrationRequest = Pick<AdmissionRequest, 'credential' | 'sender' | 'earlier'>;

export interface AdmittedRegistration {
  /** Null without a valid token. */
  readonly identity: IdentityClaims | null;
  readonly counted: CountedRequest | null;
}

type Needs = Pick<
  Ports,
  'callers' | 'random' | 'clock' | 'groups' | 'keys' | 'limiter' | 'mailer' | 'profiles' | 'tokens'
>;

/**
 * Admits a request or refuses it: 401, then 429, then 403 by role, in this order (specification, section 1). A caller can
 * hold back the end of a body as long as it likes, so a request whose body comes after its head is admitted twice: before
 * the body is read, and once it is complete.
 */
export const admit =
  (ports: Needs & Counting, settings: Settings) =>
  async <Part extends TargetPart = 'head'>(request: AdmissionRequest<Part>): Promise<Admission<TargetParts[Part]>> => {
    const { credential, auth, deadline, earlier } = request;
    const found =
      auth !== 'token or key' && isKey(credential) ? 'token_required' : await identify(ports, settings, request);
    if (typeof found === 'string') throw await refusal(ports, settings, request, found);
    refuseUnscoped(found, request.scope ?? null);
    const principal = { ...found, deadline };
    const counted = earlier?.counted ?? (isAdmin(found.profile) ? null : await countClient(ports, settings, principal));
    if (auth === 'admin' && !isAdmin(found.profile)) throw new PorticoError('admin_required', { counted });
    ports.uses.touch(principal);
    return { principal, counted };
  };

/**
 * Admits a registration, which accepts an identity token and usually needs none. If one is required, any other
 * credential is refused as everywhere else; otherwise it is ignored (specification, section 3).
 */
export const admitRegistration =
  (ports: Pick<Ports, 'limiter' | 'tokens'>, settings: Settings) =>
  async ({ credential, sender, earlier }: RegistrationRequest): Promise<AdmittedRegistration> => {
    const isDemanded = settings.registrationRequiresToken;
    const found = await identityOf(ports, credential).catch((error: unknown) => {
      // A token that cannot be judged now binds nothing. It stops the registration only if a token is required.
      if (isDemanded || !isPorticoError(error)) throw error;
      return 'invalid_token' as const;
    });
    const hasFailed = typeof found === 'string';
    if (isDemanded && hasFailed) throw await refusal(ports, settings, { sender, earlier }, found);
    const counted = earlier ? earlier.counted : await limitAnonymous(ports, settings, sender.address);
    return { identity: hasFailed ? null : found, counted };
  };

/**
 * Counts a code that was tried and is not valid, as credentials that failed; throws `rate_limited`. Null if there are no
 * such limits.
 */
export const countFailedCode =
  (ports: Pick<Ports, 'limiter'>, settings: Settings) =>
  (address: string): Promise<CountedRequest | null> =>
    limitFailedCredentials(ports, settings, address);

/** Counts a request without valid credentials by its address; throws `rate_limited`. Null if there is no such limit. */
const limitAnonymous = (
  { limiter }: Pick<Ports, 'limiter'>,
  { anonymousLimit }: Settings,
  address: string,
): Promise<CountedRequest | null> => count(limiter, 'anonymous', `address:${address}`, anonymousLimit);

/** The same for a request whose credentials failed; these also have their own limit. */
const limitFailedCredentials = async (
  ports: Pick<Ports, 'limiter'>,
  settings: Settings,
  address: string,
): Promise<CountedRequest | null> => {
  const { limiter } = ports;
  const rule = settings.failedCredentialsLimit;
  const [policy, subject] = ['failed-credentials', `failures:${address}`] as const;
  // Peek first: the other limit must not count a request that this one refuses.
  if (rule) refuseUnlessAdmitted({ ...(await limiter.peek(subject, rule)), policy });
  const anonymous = await limitAnonymous(ports, settings, address);
  return (await count(limiter, policy, subject, rule)) ?? anonymous;
};

const refusalCodes = {
  no_credential: 'invalid_token',
  token_required: 'token_required',
  invalid_token: 'invalid_token',
  invalid_api_credentials: 'invalid_api_credentials',
  unregistered: 'invalid_token',
  suspended: 'invalid_token',
} as const satisfies Record<AuthenticationFailure, ErrorCode>;

const refusal = async (
  ports: Pick<Ports, 'limiter'>,
  settings: Settings,
  { sender, unregistered, earlier }: Pick<AdmissionRequest, 'sender' | 'unregistered' | 'earlier'>,
  failure: AuthenticationFailure,
): Promise<PorticoError> => {
  const limit =
    failure === 'invalid_token' || failure === 'invalid_api_credentials' ? limitFailedCredentials : limitAnonymous;
  const counted = earlier ? earlier.counted : await limit(ports, settings, sender.address);
  const code = failure === 'unregistered' && unregistered ? unregistered : refusalCodes[failure];
  return new PorticoError(code, { counted });
};

/** Counts a client's request; a refused one is told in the usage of its profile. */
const countClient = async (
  { limiter, uses }: Pick<Ports, 'limiter'> & Counting,
  { defaultLimit }: Settings,
  caller: Identified & Pick<Principal, 'deadline'>,
): Promise<CountedRequest> => {
  const { rule, source } = effectiveLimit(caller.limits, defaultLimit);
  const counted = { ...(await limiter.consume(clientSubject(caller.profile.id), rule)), policy: source };
  if (!counted.admitted) uses.count(caller, 'refused', null);
  return refuseUnlessAdmitted(counted);
};

const count = async (
  limiter: Ports['limiter'],
  policy: CountedRequest['policy'],
  subject: string,
  rule: LimitRule | null,
): Promise<CountedRequest | null> => {
  if (!rule) return null;
  return refuseUnlessAdmitted({ ...(await limiter.consume(subject, rule)), policy });
};

const refuseUnlessAdmitted = (counted: CountedRequest): CountedRequest => {
  if (!counted.admitted) throw new PorticoError('rate_limited', { counted });
  return counted;
};

/** Identifies the owner of a credential; throws `identity_unavailable` if that cannot be decided now. */
const identify = async <Part extends TargetPart>(
  ports: Needs,
  settings: Pick<Settings, 'identityEmailCheck'>,
  { credential, target, tokenUse = 'identity' }: Pick<AdmissionRequest<Part>, 'credential' | 'target' | 'tokenUse'>,
): Promise<Identified<TargetParts[Part]> | AuthenticationFailure> => {
  switch (credential.kind) {
    case 'none':
      return 'no_credential';
    case 'malformed':
      return credential.form === 'key' ? 'invalid_api_credentials' : 'invalid_token';
    case 'token':
      return identifyByToken(ports, settings, await verifiedClaims(ports, credential.token, tokenUse), target);
    case 'key':
      return identifyByKey(ports, credential, target);
    case 'account':
      return identifyByAccount(ports, credential, target);
    case 'operator':
      return operatorCaller(credential, ports.clock.now());
  }
};

const identifyByToken = async <Part extends TargetPart>(
  ports: Needs,
  { identityEmailCheck }: Pick<Settings, 'identityEmailCheck'>,
  claims: IdentityClaims | null,
  target: Target<Part> | null,
): Promise<Identified<TargetParts[Part]> | AuthenticationFailure> => {
  if (!claims) return 'invalid_token';
  const read = () => ports.callers.byUid(claims.uid, target, ports.clock.now());
  const first = await read();
  if (!first) return 'unregistered';
  const { issuer, email } = first.profile;
  if (issuer !== null && issuer !== claims.issuer) return 'unregistered';
  if (isSuspended(first.profile)) return 'suspended';
  if (issuer === null && !bindingAgrees(identityEmailCheck, email, claims)) return 'unregistered';
  const profile = issuer === null ? await bindProfile(ports, first.profile, claims.issuer) : first.profile;
  if (!profile) return 'unregistered';
  if (!isNews(claims.groups, first.claims)) return identified({ ...first, profile }, 'token');
  await followClaims(ports, profile, claims.groups);
  // Read again, so that one statement judges the request by what the token says.
  const row = await read();
  if (row?.profile.issuer !== claims.issuer) return 'unregistered';
  return isSuspended(row.profile) ? 'suspended' : identified(row, 'token');
};

/** Returns the claims of the credential's identity token if it is valid, registered or not; otherwise the failure. */
const identityOf = async (
  ports: Pick<Ports, 'tokens'>,
  credential: Credential,
): Promise<IdentityClaims | AuthenticationFailure> => {
  if (credential.kind === 'none') return 'no_credential';
  if (isKey(credential)) return 'token_required';
  const claims = credential.kind === 'token' ? await verifiedClaims(ports, credential.token, 'identity') : null;
  return claims ?? 'invalid_token';
};

/** Returns the claims of a valid token, or null for any other. */
const verifiedClaims = async (
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
 * The order of work is fixed (specification, "API keys"): shape and checksum, one read, the tag, then the cached match
 * or argon2. An unknown client costs the same as a wrong secret.
 */
const identifyByKey = async <Part extends TargetPart>(
  { callers, clock, keys }: Needs,
  { clientId, secret }: { readonly clientId: string; readonly secret: string },
  target: Target<Part> | null,
): Promise<Identified<TargetParts[Part]> | AuthenticationFailure> => {
  const id = parseId<ClientId>(clientId);
  if (!id || !isWellFormedSecret(secret)) return 'invalid_api_credentials';
  const row = await callers.byClientId(id, target, clock.now());
  const tag = keys.tag(secret);
  const match = row && liveSecrets(row).find((stored) => stored.tag === tag);
  if (!row || !match || !(await keys.matches(secret, match.hash))) return 'invalid_api_credentials';
  return identified(row, 'key');
};

/** The secrets that are valid now: none for an admin, whose key is asleep, and none of a suspended profile. */
const liveSecrets = ({ profile, key, readAt }: CallerRow): readonly StoredSecret[] => {
  if (!key || profile.role !== 'client' || profile.status !== 'approved' || isSuspended(profile)) return [];
  return key.expiresAt !== null && readAt >= key.expiresAt ? [] : validSecrets(key, readAt);
};

/** The same order of work; shape and checksum were judged when the id was taken from the token. */
const identifyByAccount = async <Part extends TargetPart>(
  { callers, clock, keys }: Needs,
  { id, token }: Extract<Credential, { kind: 'account' }>,
  target: Target<Part> | null,
): Promise<Identified<TargetParts[Part]> | AuthenticationFailure> => {
  const row = await callers.byAccountId(id, target);
  const tag = keys.tag(token);
  const now = clock.now();
  const match = row?.key && !isExpired(row.account, now) && validSecrets(row.key, now).find((one) => one.tag === tag);
  if (!match || !(await keys.matches(token, match.hash))) return 'invalid_token';
  const { account, epochs, target: found } = row;
  return {
    profile: actingProfile(account),
    limits: { override: null, tier: null, groupTier: null },
    epochs,
    target: found,
    granted: false,
    accessUntil: null,
    readAt: now,
    via: 'account',
    scopes: account.scopes,
  };
};

const identified = <Found extends CollectionHead>(
  row: CallerRow<Found>,
  via: Identified['via'],
): Identified<Found> => ({ ...withoutSecrets(row), via });

/**
 * Binds an unbound profile. Returns null if the profile is gone, or if another issuer bound it first. Not part of the
 * request's own change: what the token has proven stays true, whatever happens to the request.
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
