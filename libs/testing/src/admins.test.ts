import { expect, test } from 'vitest';
import { operatorAuthority, type Profile } from '@portico/domain';
import { createHarness, type Harness } from './harness.ts';
import { testIssuer } from './test-issuer.ts';

const otherIssuer = 'urn:portico:another';
const operator = operatorAuthority;
const root = { uid: 'root', email: 'root@example.com', issuer: testIssuer };

const register = ({ useCases }: Harness, uid: string): Promise<Profile> =>
  useCases.registerProfile({ uid, email: `${uid}@example.com`, fullName: uid, companyName: null }, null, null);

const promote = async (harness: Harness, uid: string, issuer: string | null): Promise<Profile> => {
  const { id } = await register(harness, uid);
  await harness.useCases.changeRole(operator, id, 'admin');
  return harness.ports.profiles.update(id, (state) => ({
    ...state,
    profile: { ...state.profile, issuer },
    deadline: null,
  }));
};

const signIn = ({ useCases, tokens }: Harness, uid: string, issuer: string) =>
  useCases.admit({
    credential: { kind: 'token', token: tokens.mint({ uid, email: `${uid}@example.com`, issuer }) },
    auth: 'token',
    target: null,
    sender: { address: '::1' },
    deadline: null,
  });

test('the first admin is created if no one can sign in as an admin, and only once', async () => {
  const harness = createHarness();
  await promote(harness, 'of-an-issuer-off', otherIssuer);
  await promote(harness, 'not-bound', null);
  const admin = await harness.useCases.claimFirstAdmin(root);
  expect(admin).toMatchObject({ uid: 'root', role: 'admin', status: 'approved', issuer: testIssuer });
  expect(await harness.useCases.claimFirstAdmin({ ...root, uid: 'second' })).toBeNull();
});

test('the first admin is bound to the given issuer, even if the profile was bound to a different one', async () => {
  const harness = createHarness();
  await promote(harness, 'root', otherIssuer);
  expect(await harness.useCases.claimFirstAdmin(root)).toMatchObject({ uid: 'root', issuer: testIssuer });
  expect((await signIn(harness, 'root', testIssuer)).principal.profile.role).toBe('admin');
});

test('the last admin who can sign in cannot be demoted or removed', async () => {
  const harness = createHarness();
  const { useCases } = harness;
  const [disabledIssuerAdmin, unboundAdmin] = [
    await promote(harness, 'off', otherIssuer),
    await promote(harness, 'unbound', null),
  ];
  const lastAdmin = await promote(harness, 'last', testIssuer);
  await expect(useCases.changeRole(operator, lastAdmin.id, 'client')).rejects.toThrow('The last admin');
  await expect(useCases.removeProfile(operator, lastAdmin.id)).rejects.toThrow('The last admin');
  await useCases.changeRole(operator, disabledIssuerAdmin.id, 'client');
  await useCases.removeProfile(operator, unboundAdmin.id);
  const nextAdmin = await promote(harness, 'next', testIssuer);
  await useCases.removeProfile(operator, lastAdmin.id);
  await expect(useCases.changeRole(operator, nextAdmin.id, 'client')).rejects.toThrow('The last admin');
});

test('creating an admin who cannot sign in returns a warning', async () => {
  const harness = createHarness();
  const warningFor = async (uid: string, issuer: string | null) => {
    const { id } = await promote(harness, uid, issuer);
    return (await harness.useCases.changeRole(operator, id, 'admin')).warning;
  };
  expect(await warningFor('unbound', null)).toContain('the first person to present a token with its user id and email');
  expect(await warningFor('off', otherIssuer)).toContain('the issuer that the profile is bound to is disabled');
  expect(await warningFor('bound', testIssuer)).toBeNull();
  const { id } = await promote(harness, 'suspended', testIssuer);
  await harness.useCases.changeRole(operator, id, 'client');
  await harness.useCases.suspendProfile(operator, id, null);
  expect((await harness.useCases.changeRole(operator, id, 'admin')).warning).toBe(
    'No one can sign in as this admin: the profile is suspended.',
  );
});

test('with two issuers enabled, a uid is bound to the first one used, and is rejected if it comes from the other one', async () => {
  const harness = createHarness({ issuers: [testIssuer, otherIssuer] });
  await register(harness, 'ada');
  const outcomes = await Promise.allSettled([signIn(harness, 'ada', otherIssuer), signIn(harness, 'ada', testIssuer)]);
  const winningIssuer = outcomes[0].status === 'fulfilled' ? otherIssuer : testIssuer;
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect((await signIn(harness, 'ada', winningIssuer)).principal.profile.issuer).toBe(winningIssuer);
  const losingIssuer = winningIssuer === otherIssuer ? testIssuer : otherIssuer;
  await expect(signIn(harness, 'ada', losingIssuer)).rejects.toThrow('Invalid or expired token');
});

test('a profile that is removed while a token binds it counts as unregistered', async () => {
  const baseHarness = createHarness();
  const { id } = await register(baseHarness, 'ada');
  const { callers, profiles } = baseHarness.ports;
  const racingCallers: Harness['ports']['callers'] = {
    ...callers,
    findByUid: async (uid, target) => {
      const row = await callers.findByUid(uid, target, Date.now());
      await profiles.remove(id, () => ({ deadline: null }));
      return row;
    },
  };
  const harness = createHarness({}, { ...baseHarness.ports, callers: racingCallers });
  await expect(signIn(harness, 'ada', testIssuer)).rejects.toThrow('Invalid or expired token');
});
