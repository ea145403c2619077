import type { RouteAuth } from '../../src/route.ts';
import { callers, type CallerKind, type CallerName, type Credential } from './callers.ts';
import { errors, createScopeError, type ExpectedError } from './errors.ts';
import type { Row } from './request.ts';

const { invalidToken, tokenRequired, invalidKey, adminRequired, ownerRequired } = errors;
const success = null;

const allSucceed = {
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

const createAdminRule = (denied: ExpectedError) => ({
  nothing: invalidToken,
  'a bad token': invalidToken,
  "a stranger's token": invalidToken,
  "a client's token": denied,
  "an admin's token": success,
  'a key': tokenRequired,
  'a bad key': tokenRequired,
  'a malformed credential': invalidToken,
  'a malformed key': tokenRequired,
});

/** The callers who own the granted collection. */
const owners: readonly CallerName[] = [
  'a member, by token',
  'a member by claim, by token',
  'a member by claim, by an older token',
];

/**
 * The result for each kind of endpoint and credential (specification, "Authentication" and section 2). Registration
 * needs no credential: it ignores a token that it cannot use.
 */
const rule: Readonly<
  Record<RouteAuth, Readonly<Record<Exclude<Credential, 'a service account'>, ExpectedError | null>>>
> = {
  free: allSucceed,
  open: allSucceed,
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
  admin: createAdminRule(adminRequired),
  'admin or owner': createAdminRule(ownerRequired),
};

/** Returns the error for a valid request from this caller; null if the request succeeds. */
export const expectedErrorOf = (row: Row, caller: CallerName): ExpectedError | null => {
  const { credential } = callers[caller];
  if (credential === 'a service account') return accountErrorOf(row, caller);
  if (row.auth === 'admin or owner' && owners.includes(caller)) return row.ownerError ?? success;
  return row.specialErrors?.[caller] ?? rule[row.auth][credential];
};

/**
 * Returns the error for a service account. It needs the endpoint's scope; an endpoint without a scope denies service
 * accounts.
 */
const accountErrorOf = ({ auth, scope }: Row, caller: CallerName): ExpectedError | null => {
  if (auth === 'free' || auth === 'open') return success;
  if (scope === null) return errors.noServiceAccounts;
  const { scopes = [] }: CallerKind = callers[caller];
  return scopes.includes(scope) ? success : createScopeError(scope);
};
