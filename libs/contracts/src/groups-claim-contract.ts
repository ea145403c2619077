import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { claimedGroupsMax, type GroupsClaim, type Json } from '@portico/domain';
import type { Contract } from './contract.ts';
import type { TokenClaims, TokenVerifierSubject } from './token-verifier-contract.ts';

/** A verifier of tokens whose claim `groupsClaim` names groups. */
export type GroupsClaimSubject = Omit<TokenVerifierSubject, 'forge'>;

export const groupsClaim = 'organisation.groups';

const nowOf = ({ clock }: GroupsClaimSubject): number => Math.floor(clock.now() / 1_000);

const groupsIn = async (subject: GroupsClaimSubject, extraClaims: TokenClaims): Promise<GroupsClaim | null> => {
  const { issuer, audience, verifier } = subject;
  const now = nowOf(subject);
  const claims = { iss: issuer, aud: audience, sub: 'alice', iat: now, exp: now + 3_600, ...extraClaims };
  return (await verifier.verify(await subject.mint(claims))).groups;
};

const namesIn = async (subject: GroupsClaimSubject, value: Json): Promise<readonly string[] | undefined> =>
  (await groupsIn(subject, { [groupsClaim]: value }))?.names;

export const groupsClaimContract = {
  'a token names its groups, sorted by code points and without duplicates': async (subject) => {
    deepStrictEqual(await namesIn(subject, ['b', '\u{1f642}', '\uffee', 'a', 'B', 'b']), [
      'B',
      'a',
      'b',
      '\uffee',
      '\u{1f642}',
    ]);
    deepStrictEqual(await namesIn(subject, ['/staff/payments', 'cn=a,dc=b']), ['/staff/payments', 'cn=a,dc=b']);
  },
  'the groups are returned with the time at which the token was issued': async (subject) => {
    const iat = nowOf(subject) - 100;
    strictEqual((await groupsIn(subject, { [groupsClaim]: ['a'], iat }))?.issuedAt, iat * 1_000);
  },
  'a token without the claim names no groups': async (subject) => {
    deepStrictEqual((await groupsIn(subject, { groups: ['a'], organisation: {} }))?.names, []);
    for (const value of [null, '', [], {}, 7, true]) deepStrictEqual(await namesIn(subject, value), []);
  },
  'a token without the time at which it was issued has no groups claim': async (subject) => {
    const { issuer, audience, verifier } = subject;
    const claims = { iss: issuer, aud: audience, sub: 'alice', exp: nowOf(subject) + 3_600, [groupsClaim]: ['a'] };
    strictEqual((await verifier.verify(await subject.mint(claims))).groups, null);
  },
  'a claim with the full name takes precedence over a path of names': async (subject) => {
    const organisation = { groups: ['by path'] };
    deepStrictEqual((await groupsIn(subject, { organisation }))?.names, ['by path']);
    deepStrictEqual((await groupsIn(subject, { organisation, [groupsClaim]: ['by name'] }))?.names, ['by name']);
    deepStrictEqual((await groupsIn(subject, { organisation: ['groups'] }))?.names, []);
  },
  'a claim may be a single name': async (subject) => {
    deepStrictEqual(await namesIn(subject, 'Payments team, and others'), ['Payments team, and others']);
  },
  'names are trimmed, and invalid group names are left out': async (subject) => {
    deepStrictEqual(
      await namesIn(subject, [' a ', 7, null, ['b'], { c: 1 }, '', ' ', 'd\0', 'e\nf', '\ud800', '\u202eg']),
      ['a'],
    );
    const longestNames = ['x'.repeat(200), '\u{1f642}'.repeat(200)];
    deepStrictEqual(await namesIn(subject, [...longestNames, 'x'.repeat(201), '\u{1f642}'.repeat(201)]), longestNames);
  },
  'only the first 1,000 groups of a token are returned': async (subject) => {
    const names = Array.from({ length: claimedGroupsMax + 1 }, (_, index) =>
      index.toString(36).padStart(2, '0'),
    ).sort();
    deepStrictEqual(await namesIn(subject, names), names.slice(0, claimedGroupsMax));
    deepStrictEqual(await namesIn(subject, names.slice(1)), names.slice(1));
  },
} satisfies Contract<GroupsClaimSubject>;
