import {
  type AuthenticationFailure,
  type Credential,
  type Identified,
  isAdmin,
  isKey,
  type Principal,
  type RequiredAuth,
  type Target,
  type TargetPart,
  type TargetParts,
} from '../../access/principal.ts';
import type { CollectionHead } from '../../collections/collection.ts';
import type { Deadline } from '../../deadline.ts';
import { type ErrorCode, isPorticoError, PorticoError } from '../../errors.ts';
import { clientSubject, type CountedRequest, effectiveLimit, type LimitRule } from '../../limits/limit.ts';
import type { Ports } from '../../ports/index.ts';
import type { IdentityClaims } from '../../profiles/identity.ts';
import type { Settings } from '../../settings.ts';
import { identify, identityOf } from './identify.ts';

export interface AdmissionRequest<Part extends TargetPart = TargetPart> {
  readonly credential: Credential;
  /** Where an API key is not accepted, it counts as no credential. */
  readonly auth: RequiredAuth;
  /** The collection that the request is about, if any, and how much of it the answer needs. */
  readonly target: Target<Part> | null;
  /** Callers without valid credentials are counted by it. */
  readonly address: string;
  /** The refusal of a valid token without a profile; `invalid_token` if absent. */
  readonly unregistered?: 'user_not_found';
  /** The deadline of the request's answer; null if none waits. It is passed on into the access. */
  readonly deadline: Deadline | null;
}

export interface Admission<Found extends CollectionHead = CollectionHead> {
  readonly principal: Principal<Found>;
  /** Null if the request is not counted, as for an admin. */
  readonly counted: CountedRequest | null;
}

type Needs = Pick<Ports, 'callers' | 'random' | 'clock' | 'keys' | 'limiter' | 'profiles' | 'tokens'>;

/** Admits a request or refuses it: 401, then 429, then 403 by role, in this order (specification, section 1). */
export const admit = async <Part extends TargetPart = 'head'>(
  ports: Needs,
  settings: Settings,
  request: AdmissionRequest<Part>,
): Promise<Admission<TargetParts[Part]>> => {
  const { credential, auth, deadline } = request;
  const found =
    auth !== 'token or key' && isKey(credential)
      ? 'token_required'
      : await identify(ports, settings, credential, request.target);
  if (typeof found === 'string') throw await refusal(ports, settings, request, found);
  const counted = isAdmin(found.profile) ? null : await countClient(ports, settings, found);
  if (auth === 'admin' && !isAdmin(found.profile)) throw new PorticoError('admin_required', { counted });
  return { principal: { ...found, deadline }, counted };
};

/**
 * Admits a registration, which accepts an identity token and usually needs none. If one is required, any other
 * credential is refused as everywhere else; otherwise it is ignored (specification, section 3).
 */
export const admitRegistration = async (
  ports: Pick<Ports, 'limiter' | 'tokens'>,
  settings: Settings,
  { credential, address }: Pick<AdmissionRequest, 'credential' | 'address'>,
): Promise<{ readonly identity: IdentityClaims | null; readonly counted: CountedRequest | null }> => {
  const isDemanded = settings.registrationRequiresToken;
  const found = await identityOf(ports, credential).catch((error: unknown) => {
    // A token that cannot be judged now binds nothing. It stops the registration only if a token is required.
    if (isDemanded || !isPorticoError(error)) throw error;
    return 'invalid_token' as const;
  });
  const hasFailed = typeof found === 'string';
  if (isDemanded && hasFailed) throw await refusal(ports, settings, { address }, found);
  return { identity: hasFailed ? null : found, counted: await limitAnonymous(ports, settings, address) };
};

/** Counts a request without valid credentials by its address; throws `rate_limited`. Null if such requests are not limited. */
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
} as const satisfies Record<AuthenticationFailure, ErrorCode>;

const refusal = async (
  ports: Pick<Ports, 'limiter'>,
  settings: Settings,
  { address, unregistered }: Pick<AdmissionRequest, 'address' | 'unregistered'>,
  failure: AuthenticationFailure,
): Promise<PorticoError> => {
  const limit =
    failure === 'invalid_token' || failure === 'invalid_api_credentials' ? limitFailedCredentials : limitAnonymous;
  const counted = await limit(ports, settings, address);
  const code = failure === 'unregistered' && unregistered ? unregistered : refusalCodes[failure];
  return new PorticoError(code, { counted });
};

const countClient = (
  { limiter }: Pick<Ports, 'limiter'>,
  { defaultLimit }: Settings,
  { profile, limits }: Identified,
) => {
  const { rule, source } = effectiveLimit(limits, defaultLimit);
  return count(limiter, source, clientSubject(profile.id), rule);
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
