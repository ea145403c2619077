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
  readonly sees: 'all' | 'granted' | 'nothing';
  /** The scopes of a service account. */
  readonly scopes?: readonly Scope[];
  readonly present: (person: Person, world: World) => CallOptions | Promise<CallOptions>;
}

const byToken = ({ token }: Person): CallOptions => ({ token });
const byOlderToken = ({ token, olderToken = token }: Person): CallOptions => ({ token: olderToken });
const byKey = (person: Person): CallOptions => ({ key: keyOf(person) });

/** Returns a person's key pair; throws if the person has none. */
export const keyOf = ({ key, uid }: Person): NonNullable<Person['key']> => {
  if (!key) throw new Error(`${uid} has no key pair`);
  return key;
};

/** Returns the key pair as one string for one header. */
const joinedKey = (person: Person): string => `${keyOf(person).clientId}.${keyOf(person).secret}`;

const caller = (
  person: PersonKind,
  credential: Credential,
  sees: CallerKind['sees'],
  present: CallerKind['present'],
): CallerKind => ({ person, credential, sees, present });

/** Creates a caller that every authenticated endpoint denies, so the caller sees nothing. */
const deniedCaller = (person: PersonKind, credential: Credential, present: CallerKind['present']): CallerKind =>
  caller(person, credential, 'nothing', present);

const accountCaller = (person: PersonKind, scopes: readonly Scope[]): CallerKind => ({
  ...caller(person, 'a service account', 'all', byToken),
  scopes,
});

const unknownClientId = '11111111-1111-4111-8111-111111111111';

/** The kinds of caller. A caller with a malformed credential would be admitted if the credential were well-formed. */
export const callers = {
  'an anonymous caller': deniedCaller('stranger', 'nothing', () => ({})),
  'a garbage token': deniedCaller('stranger', 'a bad token', () => ({ token: 'garbage' })),
  'a scheme other than Bearer': deniedCaller('granted', 'a malformed credential', ({ token }) => ({
    headers: ['Authorization', `Basic ${token}`],
  })),
  'a forged token': deniedCaller('granted', 'a bad token', async ({ uid, email }, { service }) => ({
    token: await service.forgeToken({ uid, email }),
  })),
  'an expired token': deniedCaller('granted', 'a bad token', async ({ uid, email }, { service }) => ({
    token: await service.mintToken({ uid, email }, -3_600),
  })),
  "an admin's forged token": deniedCaller('admin', 'a bad token', async ({ uid, email }, { service }) => ({
    token: await service.forgeToken({ uid, email }),
  })),
  'a repeated token': deniedCaller('granted', 'a malformed credential', ({ token }) => ({
    token,
    headers: ['Authorization', `Bearer ${token}`],
  })),
  'a token with the key pair': deniedCaller('granted', 'a malformed credential', (person) => ({
    ...byToken(person),
    ...byKey(person),
  })),
  'a token with half a key pair': deniedCaller('granted', 'a malformed credential', (person) => ({
    ...byToken(person),
    headers: ['X-Client-ID', keyOf(person).clientId],
  })),
  "an admin's token with a client's key pair": deniedCaller(
    'granted',
    'a malformed credential',
    (person, { service: { adminToken } }) => ({ token: adminToken, ...byKey(person) }),
  ),
  'a client identifier without a secret': deniedCaller('granted', 'a malformed key', (person) => ({
    headers: ['X-Client-ID', keyOf(person).clientId],
  })),
  'a secret without a client identifier': deniedCaller('granted', 'a malformed key', (person) => ({
    headers: ['X-API-Key', keyOf(person).secret],
  })),
  'a repeated secret': deniedCaller('granted', 'a malformed key', (person) => ({
    ...byKey(person),
    headers: ['X-API-Key', keyOf(person).secret],
  })),
  'a secret as a token': deniedCaller('granted', 'a malformed key', (person) => ({ token: keyOf(person).secret })),
  'a key pair in one string, twice': deniedCaller('granted', 'a malformed credential', (person) => ({
    token: joinedKey(person),
    headers: ['X-API-Key', joinedKey(person)],
  })),
  'a key pair in one string with its identifier': deniedCaller('granted', 'a bad key', (person) => ({
    key: { clientId: keyOf(person).clientId, secret: joinedKey(person) },
  })),
  'a key pair in one string of three parts': deniedCaller('granted', 'a malformed key', (person) => ({
    headers: ['X-API-Key', `${joinedKey(person)}.x`],
  })),
  'a token of three parts that begins as a key pair': deniedCaller('granted', 'a bad token', (person) => ({
    token: `${joinedKey(person)}.x`,
  })),
  "another client's secret in one string": deniedCaller('granted', 'a bad key', (person, { people }) => ({
    token: `${keyOf(person).clientId}.${keyOf(people.client).secret}`,
  })),
  "another client's secret": deniedCaller('granted', 'a bad key', (person, { people }) => ({
    key: { clientId: keyOf(person).clientId, secret: keyOf(people.client).secret },
  })),
  'a mistyped secret': deniedCaller('granted', 'a bad key', (person) => ({
    key: {
      clientId: keyOf(person).clientId,
      secret: keyOf(person).secret.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    },
  })),
  'an unknown client identifier': deniedCaller('granted', 'a bad key', (person) => ({
    key: { clientId: unknownClientId, secret: keyOf(person).secret },
  })),
  "a profile's id in place of the client identifier": deniedCaller('granted', 'a bad key', (person) => ({
    key: { clientId: person.id, secret: keyOf(person).secret },
  })),
  'an unregistered person': deniedCaller('stranger', "a stranger's token", byToken),
  'a deleted profile, by token': deniedCaller('deleted', "a stranger's token", byToken),
  'a deleted profile, by key': deniedCaller('deleted', 'a bad key', byKey),
  "another issuer's token with a client's user id": deniedCaller(
    'granted',
    "a stranger's token",
    async ({ uid, email }, { service }) => ({ token: await service.mintByOtherIssuer({ uid, email }) }),
  ),
  "another issuer's token with an admin's user id": deniedCaller(
    'admin',
    "a stranger's token",
    async ({ uid, email }, { service }) => ({ token: await service.mintByOtherIssuer({ uid, email }) }),
  ),
  'an unbound profile, by a token without an e-mail': deniedCaller(
    'unbound',
    "a stranger's token",
    async ({ uid }, { service }) => ({ token: await service.mintToken({ uid }, 3_600) }),
  ),
  'an admin of a disabled issuer, by its token': deniedCaller(
    'adminOfIssuerOff',
    'a bad token',
    async ({ uid, email }, { service }) => ({ token: await service.mintByDisabledIssuer({ uid, email }) }),
  ),
  'an admin of a disabled issuer, by the token of an enabled one': deniedCaller(
    'adminOfIssuerOff',
    "a stranger's token",
    byToken,
  ),
  'a suspended client with a grant, by token': deniedCaller('suspended', 'a bad token', byToken),
  'a suspended client with a grant, by key': deniedCaller('suspended', 'a bad key', byKey),
  'a suspended client with a grant, by key as a token': deniedCaller('suspended', 'a bad key', (person) => ({
    token: joinedKey(person),
  })),
  'a suspended admin': deniedCaller('suspendedAdmin', 'a bad token', byToken),
  'a client with a grant, by its expired key': deniedCaller('expiredKey', 'a bad key', byKey),
  'a client with a grant and an expired key, by token': caller('expiredKey', "a client's token", 'granted', byToken),
  'a client whose grant has expired, by token': caller('expiredGrant', "a client's token", 'nothing', byToken),
  'a client whose grant has expired, by key': caller('expiredGrant', 'a key', 'nothing', byKey),
  'a pending profile': caller('pending', "a client's token", 'nothing', byToken),
  'a pending profile with a grant': caller('pendingGranted', "a client's token", 'granted', byToken),
  'a rejected profile': caller('rejected', "a client's token", 'nothing', byToken),
  'a rejected profile with a grant': caller('rejectedGranted', "a client's token", 'nothing', byToken),
  'a client without a grant, by token': caller('client', "a client's token", 'nothing', byToken),
  'a client without a grant, by key': caller('client', 'a key', 'nothing', byKey),
  'a client with a grant, by token': caller('granted', "a client's token", 'granted', byToken),
  'a client with a grant, by key': caller('granted', 'a key', 'granted', byKey),
  'a client without a grant, by key in one string': caller('client', 'a key', 'nothing', (person) => ({
    token: joinedKey(person),
  })),
  'a client with a grant, by key in one header': caller('granted', 'a key', 'granted', (person) => ({
    headers: ['X-API-Key', joinedKey(person)],
  })),
  'a client with a grant, by key as a token': caller('granted', 'a key', 'granted', (person) => ({
    token: joinedKey(person),
  })),
  'a member, by token': caller('member', "a client's token", 'granted', byToken),
  'a member, by key': caller('member', 'a key', 'granted', byKey),
  'a member by claim, by token': caller('memberByClaim', "a client's token", 'granted', byToken),
  'a member by claim, by key': caller('memberByClaim', 'a key', 'granted', byKey),
  'a member by claim, by an older token': caller('memberByClaim', "a client's token", 'granted', byOlderToken),
  'a former member, by token': caller('formerMember', "a client's token", 'nothing', byToken),
  'a former member, by key': caller('formerMember', 'a key', 'nothing', byKey),
  'a former member by claim, by token': caller('formerMemberByClaim', "a client's token", 'nothing', byToken),
  'a former member by claim, by key': caller('formerMemberByClaim', 'a key', 'nothing', byKey),
  'a former member by claim, by an older token': caller(
    'formerMemberByClaim',
    "a client's token",
    'nothing',
    byOlderToken,
  ),
  'the first admin': caller('admin', "an admin's token", 'all', byToken),
  'a promoted client, by token': caller('promoted', "an admin's token", 'all', byToken),
  'a promoted client, by its inactive key': deniedCaller('promoted', 'a bad key', byKey),
  'a promoted client, by its inactive key as a token': deniedCaller('promoted', 'a bad key', (person) => ({
    token: joinedKey(person),
  })),
  'a demoted admin, by token': caller('demoted', "a client's token", 'granted', byToken),
  'a demoted admin, by its reactivated key': caller('demoted', 'a key', 'granted', byKey),
  'a service account with catalog:read': accountCaller('catalog:read', ['catalog:read']),
  'a service account with catalog:write': accountCaller('catalog:write', ['catalog:write']),
  'a service account with access:read': accountCaller('access:read', ['access:read']),
  'a service account with access:write': accountCaller('access:write', ['access:write']),
  'a service account with audit:read': accountCaller('audit:read', ['audit:read']),
  'a service account with usage:read': accountCaller('usage:read', ['usage:read']),
  'a service account with limits:write': accountCaller('limits:write', ['limits:write']),
  'a service account with every scope': accountCaller('everyScope', scopes),
  'a service account by its previous token, within its grace period': accountCaller('rotatedAccount', scopes),
  'a service account by a replaced token': deniedCaller('replacedAccount', 'a bad token', byToken),
  'an expired service account': deniedCaller('expiredAccount', 'a bad token', byToken),
  'a revoked service account': deniedCaller('revokedAccount', 'a bad token', byToken),
  'a service account by a mistyped token': deniedCaller('everyScope', 'a malformed credential', ({ token }) => ({
    token: token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
  })),
  "a service account's token with a key pair": deniedCaller(
    'everyScope',
    'a malformed credential',
    (person, { people }) => ({
      ...byToken(person),
      ...byKey(people.client),
    }),
  ),
  "a service account's token as an API key": deniedCaller('everyScope', 'a malformed key', ({ token }) => ({
    headers: ['X-API-Key', token],
  })),
  "a service account's token as the secret of its id": deniedCaller('everyScope', 'a bad key', ({ id, token }) => ({
    key: { clientId: id, secret: token },
  })),
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
