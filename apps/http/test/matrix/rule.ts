import type { RouteAuth } from '../../src/route.ts';
import { callers, type CallerKind, type CallerName, type Credential } from './callers.ts';
import { refusals, scopeRequired, type Refusal } from './refusals.ts';
import type { Row } from './request.ts';

const { invalidToken, tokenRequired, invalidKey, adminRequired } = refusals;
const success = null;

const everyone = {
  nothing: success,
  'a bad token': success,
  "a stranger's token": success,
  "a client's token": success,
  "an admin's token": success,
  'a key': success,
  'a bad key': success,
  'a malformed credential': success,
  'a malformed key': success,
} as const;

/**
 * The result for each kind of endpoint and credential (specification, "Authentication" and section 2). Registration
 * needs no credential: it ignores a token that it cannot use.
 */
const rule: Readonly<Record<RouteAuth, Readonly<Record<Exclude<Credential, 'a service account'>, Refusal | null>>>> = {
  free: everyone,
  open: everyone,
  token: {
    nothing: invalidToken,
    'a bad token': invalidToken,
    "a stranger's token": invalidToken,
    "a client's token": success,
    "an admin's token": success,
    'a key': tokenRequired,
    'a bad key': tokenRequired,
    'a malformed credential': invalidToken,
    'a malformed key': tokenRequired,
  },
  'token or key': {
    nothing: invalidToken,
    'a bad token': invalidToken,
    "a stranger's token": invalidToken,
    "a client's token": success,
    "an admin's token": success,
    'a key': success,
    'a bad key': invalidKey,
    'a malformed credential': invalidToken,
    'a malformed key': invalidKey,
  },
  admin: {
    nothing: invalidToken,
    'a bad token': invalidToken,
    "a stranger's token": invalidToken,
    "a client's token": adminRequired,
    "an admin's token": success,
    'a key': tokenRequired,
    'a bad key': tokenRequired,
    'a malformed credential': invalidToken,
    'a malformed key': tokenRequired,
  },
};

/** Returns the refusal of a valid request from this caller; null if the request succeeds. */
export const expectedRefusal = (row: Row, caller: CallerName): Refusal | null => {
  const { credential } = callers[caller];
  if (credential === 'a service account') return refusalOfAccount(row, caller);
  return row.except?.[caller] ?? rule[row.auth][credential];
};

/**
 * Returns the refusal of a service account. It needs the endpoint's scope; an endpoint without a scope denies service
 * accounts.
 */
const refusalOfAccount = ({ auth, scope }: Row, caller: CallerName): Refusal | null => {
  if (auth === 'free' || auth === 'open') return success;
  if (scope === null) return refusals.noServiceAccounts;
  const { scopes = [] }: CallerKind = callers[caller];
  return scopes.includes(scope) ? success : scopeRequired(scope);
};
