import {
  type AuthenticationFailure,
  type Credential,
  type IdentifiedCaller,
  isAdmin,
  isOwnerOfTarget,
  isKeyCredential,
  type Principal,
  requireScope,
  type RequiredAuth,
  type Target,
  type TargetDetail,
  type TargetDetails,
} from '../../access/principal.ts';
import type { CollectionHead } from '../../collections/collection.ts';
import type { Deadline } from '../../deadline.ts';
import { type ErrorCode, isPorticoError, PorticoError } from '../../errors.ts';
import { clientSubjectOf, type CountedRequest, effectiveLimitOf, type LimitRule } from '../../limits/limit.ts';
import type { Ports } from '../../ports/index.ts';
import type { TokenUse } from '../../ports/token-verifier.ts';
import type { IdentityClaims } from '../../profiles/identity.ts';
import type { Scope } from '../../service-accounts/service-account.ts';
import type { Settings } from '../../settings.ts';
import type { WithUsageCounter } from '../../usage/usage-counter.ts';
import { identify, type IdentifyingPorts, readVerifiedClaims } from './identify.ts';

/** The sender of a request. */
export interface Sender {
  /** The rate-limit subject of callers without valid credentials. It is read only for such callers. */
  readonly address: string;
}

export interface AdmissionRequest<Detail extends TargetDetail = TargetDetail> {
  readonly credential: Credential;
  /** The required authentication. If it does not accept API keys, an API key counts as no credential. */
  readonly auth: RequiredAuth;
  /** The scope that a service account needs; if there is none, no service account may send the request. */
  readonly scope?: Scope | null;
  /** Which tokens are accepted; only identity tokens by default. */
  readonly tokenUse?: TokenUse;
  /** The collection that the request is about, if any, and how much of it the response needs. */
  readonly target: Target<Detail> | null;
  readonly sender: Sender;
  /** The error for a valid token without a profile; if absent, the error is `invalid_token`. */
  readonly unregisteredCode?: 'user_not_found' | undefined;
  /** When the response must be ready; null if no request is waiting for one. Passed on to the principal. */
  readonly deadline: Deadline | null;
  /**
   * The admission of this request before its body was complete. The request is authorized again, but counted only once.
   */
  readonly previousAdmission?: Pick<Admission, 'rateLimit'> | null | undefined;
}

export interface Admission<Head extends CollectionHead = CollectionHead> {
  readonly principal: Principal<Head>;
  /** Null if the request is not counted, as in the case of an admin. */
  readonly rateLimit: CountedRequest | null;
}

type RegistrationRequest = Pick<AdmissionRequest, 'credential' | 'sender' | 'previousAdmission'>;

export interface AdmittedRegistration {
  /** Null if there is no valid token. */
  readonly identity: IdentityClaims | null;
  readonly rateLimit: CountedRequest | null;
}

type RequiredPorts = IdentifyingPorts & Pick<Ports, 'collections' | 'limiter'>;

/**
 * Admits a request or rejects it: 401, then 429, then 403 by role, in this order (specification, section 1). A caller
 * can delay the end of a body indefinitely, so a request whose body arrives after its head is admitted twice: before
 * the body is read, and when the body is complete.
 */
export const admit =
  (ports: RequiredPorts & WithUsageCounter, settings: Settings) =>
  async <Detail extends TargetDetail = 'head'>(
    request: AdmissionRequest<Detail>,
  ): Promise<Admission<TargetDetails[Detail]>> => {
    const { credential, auth, deadline, previousAdmission } = request;
    const caller =
      auth !== 'token or key' && isKeyCredential(credential)
        ? 'token_required'
        : await identify(ports, settings, request);
    if (typeof caller === 'string') throw await rejectionOf(ports, settings, request, caller);
    requireScope(caller, request.scope ?? null);
    const principal = { ...caller, deadline };
    const rateLimit =
      previousAdmission?.rateLimit ?? (isAdmin(caller.profile) ? null : await countClient(ports, settings, principal));
    if (auth === 'admin' && !isAdmin(caller.profile)) throw new PorticoError('admin_required', { rateLimit });
    if (auth === 'admin or owner' && !(await isAdminOrOwner(ports, principal, request.target)))
      throw new PorticoError('owner_required', { rateLimit });
    ports.uses.touch(principal);
    return { principal, rateLimit };
  };

/** Whether the caller owns the target; if the request has none, whether it owns any collection. */
const isAdminOrOwner = async (
  { collections }: Pick<Ports, 'collections'>,
  principal: Principal,
  target: Target | null,
): Promise<boolean> => {
  const { profile } = principal;
  if (isAdmin(profile)) return true;
  if (target) return isOwnerOfTarget(principal);
  return profile.status === 'approved' && (await collections.listOwnedIds(profile.id)).length > 0;
};

/**
 * Admits a registration, which accepts an identity token and usually needs none. If a token is required, any other
 * credential is rejected as for other requests; otherwise, it is ignored (specification, section 3).
 */
export const admitRegistration =
  (ports: Pick<Ports, 'limiter' | 'tokens'>, settings: Settings) =>
  async ({ credential, sender, previousAdmission }: RegistrationRequest): Promise<AdmittedRegistration> => {
    const isRequired = settings.registrationRequiresToken;
    const identity = await identityOf(ports, credential).catch((error: unknown) => {
      // A token that cannot be verified now does not bind anything. It blocks the registration only if a token is
      // required.
      if (isRequired || !isPorticoError(error)) throw error;
      return 'invalid_token' as const;
    });
    const hasFailed = typeof identity === 'string';
    if (isRequired && hasFailed) throw await rejectionOf(ports, settings, { sender, previousAdmission }, identity);
    const rateLimit = previousAdmission
      ? previousAdmission.rateLimit
      : await limitAnonymous(ports, settings, sender.address);
    return { identity: hasFailed ? null : identity, rateLimit };
  };

/**
 * Counts an invalid sign-in code as failed credentials; throws `rate_limited`. Returns null if no such limits are set.
 */
export const countFailedCode =
  (ports: Pick<Ports, 'limiter'>, settings: Settings) =>
  (address: string): Promise<CountedRequest | null> =>
    limitFailedCredentials(ports, settings, address);

/**
 * Counts a request without valid credentials by its address; throws `rate_limited`. Returns null if no such limit is
 * set.
 */
const limitAnonymous = (
  { limiter }: Pick<Ports, 'limiter'>,
  { anonymousLimit }: Settings,
  address: string,
): Promise<CountedRequest | null> => count(limiter, 'anonymous', `address:${address}`, anonymousLimit);

/** Counts a request with failed credentials by its address and against the limit for failed credentials. */
const limitFailedCredentials = async (
  ports: Pick<Ports, 'limiter'>,
  settings: Settings,
  address: string,
): Promise<CountedRequest | null> => {
  const { limiter } = ports;
  const rule = settings.failedCredentialsLimit;
  const [policy, subject] = ['failed-credentials', `failures:${address}`] as const;
  // Peek first: the other limit must not count a request that this one rejects.
  if (rule) rejectUnlessAdmitted({ ...(await limiter.peek(subject, rule)), policy });
  const anonymous = await limitAnonymous(ports, settings, address);
  return (await count(limiter, policy, subject, rule)) ?? anonymous;
};

const rejectionCodes = {
  no_credential: 'invalid_token',
  token_required: 'token_required',
  invalid_token: 'invalid_token',
  invalid_api_credentials: 'invalid_api_credentials',
  unregistered: 'invalid_token',
  unbound: 'invalid_token',
  suspended: 'invalid_token',
  'signed in, unregistered': 'not_registered',
  'signed in, unbound': 'not_bound',
  'signed in, suspended': 'is_suspended',
} as const satisfies Record<AuthenticationFailure, ErrorCode>;

const rejectionOf = async (
  ports: Pick<Ports, 'limiter'>,
  settings: Settings,
  {
    sender,
    unregisteredCode,
    previousAdmission,
  }: Pick<AdmissionRequest, 'sender' | 'unregisteredCode' | 'previousAdmission'>,
  failure: AuthenticationFailure,
): Promise<PorticoError> => {
  const limit =
    failure === 'invalid_token' || failure === 'invalid_api_credentials' ? limitFailedCredentials : limitAnonymous;
  const rateLimit = previousAdmission ? previousAdmission.rateLimit : await limit(ports, settings, sender.address);
  const isUnregistered = failure === 'unregistered' || failure === 'unbound';
  const code = isUnregistered && unregisteredCode ? unregisteredCode : rejectionCodes[failure];
  const advice = code in signInAdvice ? signInAdvice[code as keyof typeof signInAdvice] : null;
  return new PorticoError(code, { rateLimit, ...(advice ? { reason: advice(settings) } : {}) });
};

/** The advice for the bearer of an access token. Without a public URL, no access tokens are accepted. */
const signInAdvice = {
  not_registered: ({ publicUrl }: Settings) =>
    `you are signed in, but this catalog does not know you. Register at ${publicUrl}/console; an administrator then approves you`,
  not_bound: ({ publicUrl }: Settings) =>
    `you are signed in, but your identity provider did not confirm the email address of your registration. Sign in once at ${publicUrl}/console`,
  is_suspended: ({ publicUrl }: Settings) =>
    `you are signed in, but an administrator of this catalog (${publicUrl}/console) has suspended your profile. Ask one to resume it`,
} as const satisfies Partial<Record<ErrorCode, (settings: Settings) => string>>;

/** Counts the request against the client's limit; rejections show up in the profile's usage. */
const countClient = async (
  { limiter, uses }: Pick<Ports, 'limiter'> & WithUsageCounter,
  { defaultLimit }: Settings,
  caller: IdentifiedCaller & Pick<Principal, 'deadline'>,
): Promise<CountedRequest> => {
  const { rule, source } = effectiveLimitOf(caller.limits, defaultLimit);
  const rateLimit = { ...(await limiter.consume(clientSubjectOf(caller.profile.id), rule)), policy: source };
  if (!rateLimit.isAdmitted) uses.count(caller, 'refused', null);
  return rejectUnlessAdmitted(rateLimit);
};

const count = async (
  limiter: Ports['limiter'],
  policy: CountedRequest['policy'],
  subject: string,
  rule: LimitRule | null,
): Promise<CountedRequest | null> => {
  if (!rule) return null;
  return rejectUnlessAdmitted({ ...(await limiter.consume(subject, rule)), policy });
};

const rejectUnlessAdmitted = (rateLimit: CountedRequest): CountedRequest => {
  if (!rateLimit.isAdmitted) throw new PorticoError('rate_limited', { rateLimit });
  return rateLimit;
};

/**
 * Returns the claims of the credential's identity token if it is valid, whether or not its owner is registered;
 * otherwise returns the failure.
 */
const identityOf = async (
  ports: Pick<Ports, 'tokens'>,
  credential: Credential,
): Promise<IdentityClaims | AuthenticationFailure> => {
  if (credential.kind === 'none') return 'no_credential';
  if (isKeyCredential(credential)) return 'token_required';
  const claims = credential.kind === 'token' ? await readVerifiedClaims(ports, credential.token, 'identity') : null;
  return claims ?? 'invalid_token';
};
