import { scopes, type Scope } from '@portico/domain';
import type { CallOptions } from '../client.ts';
import type { Person, PersonKind, World } from './world.ts';

/** The kinds of credential, regardless of the endpoint. */
export type Credential =
  | 'nothing'
  | 'a bad token'
  | "a stranger's token"
  | "a client's token"
  | "an admin's token"
  | 'a key'
  | 'a bad key'
  | 'a malformed credential'
  /** Half a key pair, a repeated header, or a secret sent as a token. */
  | 'a malformed key'
  /** The token of a valid service account, whose scopes determine its rights. */
  | 'a service account';

export interface CallerKind {
  readonly person: PersonKind;
  readonly credential: Credential;
  /** The collections that are visible to an admitted caller. */
  readonly visibleCollections: 'all' | 'granted' | 'nothing';
  /** The scopes of a service account. */
  readonly scopes?: readonly Scope[];
  readonly toCallOptions: (person: Person, world: World) => CallOptions | Promise<CallOptions>;
}

const toTokenOptions = ({ token }: Person): CallOptions => ({ token });
const toOlderTokenOptions = ({ token, olderToken = token }: Person): CallOptions => ({ token: olderToken });
const toKeyOptions = (person: Person): CallOptions => ({ key: keyOf(person) });

/** Returns a person's key pair; throws if the person has none. */
export const keyOf = ({ key, uid }: Person): NonNullable<Person['key']> => {
  if (!key) throw new Error(`${uid} has no key pair`);
  return key;
};

/** Returns the key pair as one string for one header. */
const joinKey = (person: Person): string => `${keyOf(person).clientId}.${keyOf(person).secret}`;

const createCaller = (
  person: PersonKind,
  credential: Credential,
  visibleCollections: CallerKind['visibleCollections'],
  toCallOptions: CallerKind['toCallOptions'],
): CallerKind => ({ person, credential, visibleCollections, toCallOptions });

/** Creates a caller that every authenticated endpoint denies, so the caller sees nothing. */
const createDeniedCaller = (
  person: PersonKind,
  credential: Credential,
  toCallOptions: CallerKind['toCallOptions'],
): CallerKind => createCaller(person, credential, 'nothing', toCallOptions);

const createAccountCaller = (person: PersonKind, scopes: readonly Scope[]): CallerKind => ({
  ...createCaller(person, 'a service account', 'all', toTokenOptions),
  scopes,
});

const unknownClientId = '11111111-1111-4111-8111-111111111111';

/** The kinds of caller. A caller with a malformed credential would be admitted if the credential were well-formed. */
export const callers = {
  'an anonymous caller': createDeniedCaller('stranger', 'nothing', () => ({})),
  'a garbage token': createDeniedCaller('stranger', 'a bad token', () => ({ token: 'garbage' })),
  'a scheme other than Bearer': createDeniedCaller('granted', 'a malformed credential', ({ token }) => ({
    headers: ['Authorization', `Basic ${token}`],
  })),
  'a forged token': createDeniedCaller('granted', 'a bad token', async ({ uid, email }, { service }) => ({
    token: await service.forgeToken({ uid, email }),
  })),
  'an expired token': createDeniedCaller('granted', 'a bad token', async ({ uid, email }, { service }) => ({
    token: await service.mintToken({ uid, email }, -3_600),
  })),
  "an admin's forged token": createDeniedCaller('admin', 'a bad token', async ({ uid, email }, { service }) => ({
    token: await service.forgeToken({ uid, email }),
  })),
  'a repeated token': createDeniedCaller('granted', 'a malformed credential', ({ token }) => ({
    token,
    headers: ['Authorization', `Bearer ${token}`],
  })),
  'a token with the key pair': createDeniedCaller('granted', 'a malformed credential', (person) => ({
    ...toTokenOptions(person),
    ...toKeyOptions(person),
  })),
  'a token with half a key pair': createDeniedCaller('granted', 'a malformed credential', (person) => ({
    ...toTokenOptions(person),
    headers: ['X-Client-ID', keyOf(person).clientId],
  })),
  "an admin's token with a client's key pair": createDeniedCaller(
    'granted',
    'a malformed credential',
    (person, { service: { adminToken } }) => ({ token: adminToken, ...toKeyOptions(person) }),
  ),
  'a client identifier without a secret': createDeniedCaller('granted', 'a malformed key', (person) => ({
    headers: ['X-Client-ID', keyOf(person).clientId],
  })),
  'a secret without a client identifier': createDeniedCaller('granted', 'a malformed key', (person) => ({
    headers: ['X-API-Key', keyOf(person).secret],
  })),
  'a repeated secret': createDeniedCaller('granted', 'a malformed key', (person) => ({
    ...toKeyOptions(person),
    headers: ['X-API-Key', keyOf(person).secret],
  })),
  'a secret as a token': createDeniedCaller('granted', 'a malformed key', (person) => ({
    token: keyOf(person).secret,
  })),
  'a repeated key pair in one string': createDeniedCaller('granted', 'a malformed credential', (person) => ({
    token: joinKey(person),
    headers: ['X-API-Key', joinKey(person)],
  })),
  'a key pair in one string with its identifier': createDeniedCaller('granted', 'a bad key', (person) => ({
    key: { clientId: keyOf(person).clientId, secret: joinKey(person) },
  })),
  'a key pair in one string of three parts': createDeniedCaller('granted', 'a malformed key', (person) => ({
    headers: ['X-API-Key', `${joinKey(person)}.x`],
  })),
  'a token of three parts that begins as a key pair': createDeniedCaller('granted', 'a bad token', (person) => ({
    token: `${joinKey(person)}.x`,
  })),
  "another client's secret in one string": createDeniedCaller('granted', 'a bad key', (person, { people }) => ({
    token: `${keyOf(person).clientId}.${keyOf(people.client).secret}`,
  })),
  "another client's secret": createDeniedCaller('granted', 'a bad key', (person, { people }) => ({
    key: { clientId: keyOf(person).clientId, secret: keyOf(people.client).secret },
  })),
  'a mistyped secret': createDeniedCaller('granted', 'a bad key', (person) => ({
    key: {
      clientId: keyOf(person).clientId,
      secret: keyOf(person).secret.replace(/.$/, (lastCharacter) => (lastCharacter === 'A' ? 'B' : 'A')),
    },
  })),
  'an unknown client identifier': createDeniedCaller('granted', 'a bad key', (person) => ({
    key: { clientId: unknownClientId, secret: keyOf(person).secret },
  })),
  "a profile's id in place of the client identifier": createDeniedCaller('granted', 'a bad key', (person) => ({
    key: { clientId: person.id, secret: keyOf(person).secret },
  })),
  'an unregistered person': createDeniedCaller('stranger', "a stranger's token", toTokenOptions),
  'a deleted profile, by token': createDeniedCaller('deleted', "a stranger's token", toTokenOptions),
  'a deleted profile, by key': createDeniedCaller('deleted', 'a bad key', toKeyOptions),
  "a different issuer's token with a client's user id": createDeniedCaller(
    'granted',
    "a stranger's token",
    async ({ uid, email }, { service }) => ({ token: await service.mintByOtherIssuer({ uid, email }) }),
  ),
  "a different issuer's token with an admin's user id": createDeniedCaller(
    'admin',
    "a stranger's token",
    async ({ uid, email }, { service }) => ({ token: await service.mintByOtherIssuer({ uid, email }) }),
  ),
  'an unbound profile, by a token without an email': createDeniedCaller(
    'unbound',
    "a stranger's token",
    async ({ uid }, { service }) => ({ token: await service.mintToken({ uid }, 3_600) }),
  ),
  'an admin of a disabled issuer, by its token': createDeniedCaller(
    'adminOfIssuerOff',
    'a bad token',
    async ({ uid, email }, { service }) => ({ token: await service.mintByDisabledIssuer({ uid, email }) }),
  ),
  'an admin of a disabled issuer, by the token of an enabled one': createDeniedCaller(
    'adminOfIssuerOff',
    "a stranger's token",
    toTokenOptions,
  ),
  'a suspended client with a grant, by token': createDeniedCaller('suspended', 'a bad token', toTokenOptions),
  'a suspended client with a grant, by key': createDeniedCaller('suspended', 'a bad key', toKeyOptions),
  'a suspended client with a grant, by key as a token': createDeniedCaller('suspended', 'a bad key', (person) => ({
    token: joinKey(person),
  })),
  'a suspended admin': createDeniedCaller('suspendedAdmin', 'a bad token', toTokenOptions),
  'a client with a grant, by its expired key': createDeniedCaller('expiredKey', 'a bad key', toKeyOptions),
  'a client with a grant and an expired key, by token': createCaller(
    'expiredKey',
    "a client's token",
    'granted',
    toTokenOptions,
  ),
  'a client whose grant has expired, by token': createCaller(
    'expiredGrant',
    "a client's token",
    'nothing',
    toTokenOptions,
  ),
  'a client whose grant has expired, by key': createCaller('expiredGrant', 'a key', 'nothing', toKeyOptions),
  'a pending profile': createCaller('pending', "a client's token", 'nothing', toTokenOptions),
  'a pending profile with a grant': createCaller('pendingGranted', "a client's token", 'granted', toTokenOptions),
  'a rejected profile': createCaller('rejected', "a client's token", 'nothing', toTokenOptions),
  'a rejected profile with a grant': createCaller('rejectedGranted', "a client's token", 'nothing', toTokenOptions),
  'a client without a grant, by token': createCaller('client', "a client's token", 'nothing', toTokenOptions),
  'a client without a grant, by key': createCaller('client', 'a key', 'nothing', toKeyOptions),
  'a client with a grant, by token': createCaller('granted', "a client's token", 'granted', toTokenOptions),
  'a client with a grant, by key': createCaller('granted', 'a key', 'granted', toKeyOptions),
  'a client without a grant, by key in one string': createCaller('client', 'a key', 'nothing', (person) => ({
    token: joinKey(person),
  })),
  'a client with a grant, by key in one header': createCaller('granted', 'a key', 'granted', (person) => ({
    headers: ['X-API-Key', joinKey(person)],
  })),
  'a client with a grant, by key as a token': createCaller('granted', 'a key', 'granted', (person) => ({
    token: joinKey(person),
  })),
  'a member, by token': createCaller('member', "a client's token", 'granted', toTokenOptions),
  'a member, by key': createCaller('member', 'a key', 'granted', toKeyOptions),
  'a member by claim, by token': createCaller('memberByClaim', "a client's token", 'granted', toTokenOptions),
  'a member by claim, by key': createCaller('memberByClaim', 'a key', 'granted', toKeyOptions),
  'a member by claim, by an older token': createCaller(
    'memberByClaim',
    "a client's token",
    'granted',
    toOlderTokenOptions,
  ),
  'a former member, by token': createCaller('formerMember', "a client's token", 'nothing', toTokenOptions),
  'a former member, by key': createCaller('formerMember', 'a key', 'nothing', toKeyOptions),
  'a former member by claim, by token': createCaller(
    'formerMemberByClaim',
    "a client's token",
    'nothing',
    toTokenOptions,
  ),
  'a former member by claim, by key': createCaller('formerMemberByClaim', 'a key', 'nothing', toKeyOptions),
  'a former member by claim, by an older token': createCaller(
    'formerMemberByClaim',
    "a client's token",
    'nothing',
    toOlderTokenOptions,
  ),
  'the first admin': createCaller('admin', "an admin's token", 'all', toTokenOptions),
  'a promoted client, by token': createCaller('promoted', "an admin's token", 'all', toTokenOptions),
  'a promoted client, by its inactive key': createDeniedCaller('promoted', 'a bad key', toKeyOptions),
  'a promoted client, by its inactive key as a token': createDeniedCaller('promoted', 'a bad key', (person) => ({
    token: joinKey(person),
  })),
  'a demoted admin, by token': createCaller('demoted', "a client's token", 'granted', toTokenOptions),
  'a demoted admin, by its reactivated key': createCaller('demoted', 'a key', 'granted', toKeyOptions),
  'a service account with catalog:read': createAccountCaller('catalog:read', ['catalog:read']),
  'a service account with catalog:write': createAccountCaller('catalog:write', ['catalog:write']),
  'a service account with access:read': createAccountCaller('access:read', ['access:read']),
  'a service account with access:write': createAccountCaller('access:write', ['access:write']),
  'a service account with audit:read': createAccountCaller('audit:read', ['audit:read']),
  'a service account with usage:read': createAccountCaller('usage:read', ['usage:read']),
  'a service account with limits:write': createAccountCaller('limits:write', ['limits:write']),
  'a service account with every scope': createAccountCaller('everyScope', scopes),
  'a service account by its previous token, within its grace period': createAccountCaller('rotatedAccount', scopes),
  'a service account by a replaced token': createDeniedCaller('replacedAccount', 'a bad token', toTokenOptions),
  'an expired service account': createDeniedCaller('expiredAccount', 'a bad token', toTokenOptions),
  'a revoked service account': createDeniedCaller('revokedAccount', 'a bad token', toTokenOptions),
  'a service account by a mistyped token': createDeniedCaller('everyScope', 'a malformed credential', ({ token }) => ({
    token: token.replace(/.$/, (lastCharacter) => (lastCharacter === 'A' ? 'B' : 'A')),
  })),
  "a service account's token with a key pair": createDeniedCaller(
    'everyScope',
    'a malformed credential',
    (person, { people }) => ({
      ...toTokenOptions(person),
      ...toKeyOptions(people.client),
    }),
  ),
  "a service account's token as an API key": createDeniedCaller('everyScope', 'a malformed key', ({ token }) => ({
    headers: ['X-API-Key', token],
  })),
  "a service account's token as the secret of its id": createDeniedCaller(
    'everyScope',
    'a bad key',
    ({ id, token }) => ({
      key: { clientId: id, secret: token },
    }),
  ),
} as const satisfies Readonly<Record<string, CallerKind>>;

export type CallerName = keyof typeof callers;

/** The current and former members of the group. */
export const groupCallers = [
  'a member, by token',
  'a member, by key',
  'a member by claim, by token',
  'a member by claim, by key',
  'a member by claim, by an older token',
  'a former member, by token',
  'a former member, by key',
  'a former member by claim, by token',
  'a former member by claim, by key',
  'a former member by claim, by an older token',
] as const satisfies readonly CallerName[];

export const callerNames = Object.keys(callers) as readonly CallerName[];
