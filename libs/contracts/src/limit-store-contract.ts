import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { deactivateOthers } from '@portico/domain';
import type { NewOverride, Override, OverrideChange, Profile, Tier } from '@portico/domain';
import { assertOneSucceeds, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { createAddDecision, anOverride, aProfile, aTier, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `LimitStore`. */
export const limitStoreContract = {
  'a tier is listed exactly as it was added': async (stores) => {
    const tier = aTier({ description: 'Für Straßen', isActive: true });
    const otherTier = aTier({ tier: 'silver', description: null, isActive: false, allowed: 1, windowSeconds: 1 });
    for (const addedTier of [tier, otherTier]) await stores.limits.addTier(addedTier, noEffects);
    deepStrictEqual(await stores.limits.listTiers(), [tier, otherTier]);
  },

  'tiers are listed by name in code-point order': async (stores) => {
    for (const tier of ['b', 'a_1', 'a-1', 'a', '9', 'a1', '10'])
      await stores.limits.addTier(aTier({ tier }), noEffects);
    const names = (await stores.limits.listTiers()).map(({ tier }) => tier);
    deepStrictEqual(names, ['10', '9', 'a', 'a-1', 'a1', 'a_1', 'b']);
  },

  'adding a tier writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.limits.addTier(aTier(), effects);
    await assertWritten(stores, effects);
  },

  'adding a tier that exists is rejected, and nothing is written': async (stores) => {
    const tier = aTier();
    await stores.limits.addTier(tier, noEffects);
    await assertRejects(stores.limits.addTier(aTier({ allowed: 1 }), someEffects()), 'tier_taken');
    deepStrictEqual(await stores.limits.listTiers(), [tier]);
    await assertWritten(stores);
  },

  'when the same tier is added concurrently, only one call succeeds': async (stores) => {
    await assertOneSucceeds((index) => stores.limits.addTier(aTier({ allowed: index + 1 }), noEffects), 'tier_taken');
    strictEqual((await stores.limits.listTiers()).length, 1);
  },

  'updating a tier bases its decision on the current tier, stores the change and returns it': async (stores) => {
    const [before, otherTier] = [aTier(), aTier({ tier: 'silver' })];
    for (const tier of [before, otherTier]) await stores.limits.addTier(tier, noEffects);
    const after = aTier({ description: null, isActive: false, allowed: 1, windowSeconds: 2, updatedAt: start + 1 });
    let capturedTier: Tier | null = null;
    const result = await stores.limits.updateTier('gold', (current) => {
      capturedTier = current;
      return { tier: after, ...noEffects };
    });
    deepStrictEqual([capturedTier, result], [before, after]);
    deepStrictEqual(await stores.limits.listTiers(), [after, otherTier]);
  },

  'updating a tier writes its effects': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    const effects = someEffects();
    await stores.limits.updateTier('gold', (tier) => ({ tier, ...effects }));
    await assertWritten(stores, effects);
  },

  'the name of a tier cannot change': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    const renaming = stores.limits.updateTier('gold', (tier) => ({ tier: { ...tier, tier: 'silver' }, ...noEffects }));
    await Promise.allSettled([renaming]);
    deepStrictEqual(
      (await stores.limits.listTiers()).map(({ tier }) => tier),
      ['gold'],
    );
  },

  'updating a tier rethrows an error from the decision and changes nothing': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    await assertRejects(stores.limits.updateTier('gold', failDecision), 'already_approved');
    deepStrictEqual(await stores.limits.listTiers(), [aTier()]);
    await assertWritten(stores);
  },

  'updating a missing tier throws before the decision is called': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    await assertRejects(stores.limits.updateTier('silver', failDecision), 'tier_not_found');
  },

  'concurrent updates of the same tier each see the previous update': async (stores) => {
    await stores.limits.addTier(aTier({ allowed: 1 }), noEffects);
    const increment = (tier: Tier) => ({ tier: { ...tier, allowed: tier.allowed + 1 }, ...noEffects });
    await Promise.all(Array.from({ length: 20 }, () => stores.limits.updateTier('gold', increment)));
    strictEqual((await stores.limits.listTiers())[0]?.allowed, 21);
  },

  'removing a tier bases its decision on the current tier, removes only that tier and writes its effects': async (
    stores,
  ) => {
    const [removedTier, remainingTier] = [aTier(), aTier({ tier: 'silver' })];
    for (const tier of [removedTier, remainingTier]) await stores.limits.addTier(tier, noEffects);
    const effects = someEffects();
    let capturedTier: Tier | null = null;
    await stores.limits.removeTier('gold', (current) => {
      capturedTier = current;
      return { removedAt: start, ...effects };
    });
    deepStrictEqual(capturedTier, removedTier);
    deepStrictEqual(await stores.limits.listTiers(), [remainingTier]);
    await assertWritten(stores, effects);
  },

  'removing a tier removes it from every profile that has it, and updates only those profiles': async (stores) => {
    for (const tier of ['gold', 'silver']) await stores.limits.addTier(aTier({ tier }), noEffects);
    const removedAt = start + 60;
    const earlierProfile = await addClient(stores, { tier: 'gold', updatedAt: start });
    const laterProfile = await addClient(stores, { tier: 'gold', updatedAt: removedAt });
    const [silverProfile, profileWithoutTier] = [await addClient(stores, { tier: 'silver' }), await addClient(stores)];
    await stores.limits.removeTier('gold', () => ({ removedAt, ...noEffects }));
    deepStrictEqual(await stores.profiles.list(), [
      { ...earlierProfile, tier: null, updatedAt: removedAt },
      { ...laterProfile, tier: null, updatedAt: removedAt + 1 },
      silverProfile,
      profileWithoutTier,
    ]);
  },

  'a new tier with the name of a removed one has no clients': async (stores) => {
    const profile = await addClient(stores, { tier: 'gold' });
    await stores.limits.addTier(aTier(), noEffects);
    await stores.limits.removeTier('gold', () => ({ removedAt: start, ...noEffects }));
    await stores.limits.addTier(aTier(), noEffects);
    strictEqual((await rowOf(stores, profile)).limits.tier, null);
  },

  'removing a tier rethrows an error from the decision and keeps the tier': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    await assertRejects(stores.limits.removeTier('gold', failDecision), 'already_approved');
    deepStrictEqual(await stores.limits.listTiers(), [aTier()]);
  },

  'removing a missing tier throws before the decision is called': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    await assertRejects(stores.limits.removeTier('silver', failDecision), 'tier_not_found');
  },

  'an added override is returned with its id, and listed exactly as it was added': async (stores) => {
    const profile = await addClient(stores);
    for (const isActive of [false, true]) {
      const newOverride = overrideOf(profile, { isActive, updatedAt: start + 1 });
      const override = await stores.limits.addOverride(profile.id, createAddDecision(newOverride));
      const { id, ...rest } = override;
      deepStrictEqual(rest, newOverride);
      deepStrictEqual((await stores.limits.listOverrides(false)).at(-1), { id, ...newOverride });
    }
  },

  'overrides are listed by id': async (stores) => {
    const profile = await addClient(stores);
    const overrides = await addOverrides(stores, profile, 12);
    for (const { id } of overrides.slice(3, 6)) {
      await stores.limits.updateOverride(id, (override) => ({ override: { ...override, allowed: 1 }, ...noEffects }));
    }
    deepStrictEqual(
      (await stores.limits.listOverrides(false)).map(({ id }) => id),
      overrides.map(({ id }) => id),
    );
    ok(overrides.every(({ id }, index) => index === 0 || id > (overrides[index - 1]?.id ?? id)));
  },

  'the list can be limited to active overrides': async (stores) => {
    const profile = await addClient(stores);
    await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile, { isActive: false })));
    const activeOverride = await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile)));
    deepStrictEqual(await stores.limits.listOverrides(true), [activeOverride]);
    strictEqual((await stores.limits.listOverrides(false)).length, 2);
  },

  'all overrides or only the active ones are listed with their clients, page by page, and counted': async (stores) => {
    const [ada, bob] = [await addClient(stores), await addClient(stores)];
    const [adasOldOverride, adasOverride] = await addOverrides(stores, ada, 2);
    const [bobsOverride] = await addOverrides(stores, bob, 1);
    const pageOf = async (activeOnly: boolean, limit: number | null, after: number | null) =>
      (await stores.limits.listClientOverrides({ activeOnly, limit, after })).map(({ override, client }) => [
        override.id,
        client,
      ]);
    const [adasClient, bobsClient] = [ada, bob].map(({ id, email, fullName }) => ({ id, email, fullName }));
    const expected = [
      [adasOldOverride?.id, adasClient],
      [adasOverride?.id, adasClient],
      [bobsOverride?.id, bobsClient],
    ];
    deepStrictEqual(await pageOf(false, null, null), expected);
    deepStrictEqual(await pageOf(false, 2, null), expected.slice(0, 2));
    deepStrictEqual(await pageOf(false, 2, adasOverride?.id ?? 0), expected.slice(2));
    deepStrictEqual(await pageOf(true, 1, null), expected.slice(1, 2));
    deepStrictEqual([await stores.limits.countOverrides(false), await stores.limits.countOverrides(true)], [3, 2]);
    deepStrictEqual(
      (await stores.limits.listClientOverrides({ activeOnly: true, limit: null, after: null })).map(
        ({ override }) => override,
      ),
      [adasOverride, bobsOverride],
    );
  },

  'the id of an override is never reused': async (stores) => {
    const profile = await addClient(stores);
    const first = await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile)));
    await stores.limits.removeOverride(first.id, () => noEffects);
    const second = await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile)));
    await stores.profiles.remove(profile.id, () => noEffects);
    const otherProfile = await addClient(stores);
    const third = await stores.limits.addOverride(otherProfile.id, createAddDecision(overrideOf(otherProfile)));
    strictEqual(new Set([first.id, second.id, third.id]).size, 3);
  },

  'the decision about a new override sees only the other overrides of the same client, ordered by id': async (
    stores,
  ) => {
    const [profile, otherProfile] = [await addClient(stores), await addClient(stores)];
    await addOverrides(stores, otherProfile, 1);
    const [first, second] = await addOverrides(stores, profile, 2);
    ok(first && second);
    let capturedOverrides: readonly Override[] = [];
    await stores.limits.addOverride(profile.id, (others) =>
      createAddDecision(overrideOf(profile))((capturedOverrides = others)),
    );
    deepStrictEqual(capturedOverrides, [{ ...first, isActive: false, updatedAt: start + 1 }, second]);
  },

  'adding an override for a missing client throws before the decision is called': async (stores) => {
    await assertRejects(stores.limits.addOverride(aProfile().id, failDecision), 'client_not_found');
  },

  'adding an override rethrows an error from the decision and adds nothing': async (stores) => {
    const profile = await addClient(stores);
    await assertRejects(stores.limits.addOverride(profile.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.limits.listOverrides(false), []);
    await assertWritten(stores);
  },

  'adding an override writes its effects': async (stores) => {
    const profile = await addClient(stores);
    const effects = someEffects();
    await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile), effects));
    await assertWritten(stores, effects);
  },

  'a new active override deactivates only the other overrides of the same client': async (stores) => {
    const [profile, otherProfile] = [await addClient(stores), await addClient(stores)];
    const otherOverride = await stores.limits.addOverride(otherProfile.id, createAddDecision(overrideOf(otherProfile)));
    await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile)));
    const activeOverride = await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile)));
    deepStrictEqual(await stores.limits.listOverrides(true), [otherOverride, activeOverride]);
  },

  "a new inactive override does not deactivate the client's active one": async (stores) => {
    const profile = await addClient(stores);
    const activeOverride = await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile)));
    await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile, { isActive: false })));
    deepStrictEqual(await stores.limits.listOverrides(true), [activeOverride]);
  },

  'an override that is deactivated by a new one has the time of that change': async (stores) => {
    const profile = await addClient(stores);
    const newOverride = overrideOf(profile, { updatedAt: start });
    const { id } = await stores.limits.addOverride(profile.id, createAddDecision(newOverride));
    await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile, { updatedAt: start + 60 })));
    const replacedOverride = (await stores.limits.listOverrides(false)).find((override) => override.id === id);
    deepStrictEqual(replacedOverride, { ...newOverride, id, isActive: false, updatedAt: start + 60 });
  },

  'when active overrides are added concurrently, only one remains active': async (stores) => {
    const profile = await addClient(stores);
    const add = () => stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile)));
    const overrides = await Promise.all(Array.from({ length: 20 }, add));
    strictEqual(new Set(overrides.map(({ id }) => id)).size, 20);
    strictEqual((await stores.limits.listOverrides(true)).length, 1);
  },

  'updating an override bases its decision on the current override, stores the change and returns it': async (
    stores,
  ) => {
    const profile = await addClient(stores);
    const before = await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile)));
    const after: Override = { ...before, isActive: false, allowed: 1, windowSeconds: 2, updatedAt: start + 1 };
    let capturedOverride: Override | null = null;
    const result = await stores.limits.updateOverride(before.id, (current) => {
      capturedOverride = current;
      return { override: after, ...noEffects };
    });
    deepStrictEqual([capturedOverride, result], [before, after]);
    deepStrictEqual(await stores.limits.listOverrides(false), [after]);
  },

  'updating an override writes its effects': async (stores) => {
    const profile = await addClient(stores);
    const { id } = await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile)));
    const effects = someEffects();
    await stores.limits.updateOverride(id, (override) => ({ override, ...effects }));
    await assertWritten(stores, effects);
  },

  'an override that becomes active deactivates only the other overrides of the same client': async (stores) => {
    const [profile, otherProfile] = [await addClient(stores), await addClient(stores)];
    const otherOverride = await stores.limits.addOverride(otherProfile.id, createAddDecision(overrideOf(otherProfile)));
    const [first] = await addOverrides(stores, profile, 2);
    ok(first);
    await stores.limits.updateOverride(first.id, (current, _client, others) =>
      createActivateDecision({ ...current, isActive: true }, others),
    );
    deepStrictEqual(
      (await stores.limits.listOverrides(true)).map(({ id }) => id),
      [otherOverride.id, first.id],
    );
  },

  'the decision about updating an override sees only the other overrides of the same client, ordered by id': async (
    stores,
  ) => {
    const [profile, otherProfile] = [await addClient(stores), await addClient(stores)];
    await addOverrides(stores, otherProfile, 1);
    const [first, second, third] = await addOverrides(stores, profile, 3);
    ok(first && second && third);
    let capturedOverrides: readonly Override[] = [];
    await stores.limits.updateOverride(second.id, (override, _client, others) => {
      capturedOverrides = others;
      return { override, ...noEffects };
    });
    deepStrictEqual(capturedOverrides, [{ ...first, isActive: false, updatedAt: start + 1 }, third]);
  },

  'updating an override rethrows an error from the decision and changes nothing': async (stores) => {
    const profile = await addClient(stores);
    const override = await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile)));
    await assertRejects(stores.limits.updateOverride(override.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.limits.listOverrides(false), [override]);
    await assertWritten(stores);
  },

  'updating a missing override throws before the decision is called': async (stores) => {
    await assertRejects(stores.limits.updateOverride(1, failDecision), 'override_not_found');
  },

  'removing an override bases its decision on the current override, removes only that override and writes its effects':
    async (stores) => {
      const profile = await addClient(stores);
      const [remainingOverride, removedOverride] = await addOverrides(stores, profile, 2);
      ok(removedOverride);
      const effects = someEffects();
      let capturedOverride: Override | null = null;
      await stores.limits.removeOverride(removedOverride.id, (current) => {
        capturedOverride = current;
        return effects;
      });
      deepStrictEqual(capturedOverride, removedOverride);
      deepStrictEqual(
        (await stores.limits.listOverrides(false)).map(({ id }) => id),
        [remainingOverride?.id],
      );
      await assertWritten(stores, effects);
    },

  'the decisions about updating and removing an override see its client': async (stores) => {
    const [profile, otherProfile] = [await addClient(stores), await addClient(stores)];
    await stores.limits.addOverride(otherProfile.id, createAddDecision(overrideOf(otherProfile)));
    const { id } = await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile)));
    const capturedClients: Profile[] = [];
    await stores.limits.updateOverride(id, (override, client) => {
      capturedClients.push(client);
      return { override, ...noEffects };
    });
    await stores.limits.removeOverride(id, (_override, client) => {
      capturedClients.push(client);
      return noEffects;
    });
    deepStrictEqual(capturedClients, [profile, profile]);
  },

  'removing an override rethrows an error from the decision and keeps the override': async (stores) => {
    const profile = await addClient(stores);
    const override = await stores.limits.addOverride(profile.id, createAddDecision(overrideOf(profile)));
    await assertRejects(stores.limits.removeOverride(override.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.limits.listOverrides(false), [override]);
  },

  'removing a missing override throws before the decision is called': async (stores) => {
    await assertRejects(stores.limits.removeOverride(1, failDecision), 'override_not_found');
  },
} satisfies Contract<Stores>;

const addClient = async ({ profiles }: Stores, fields: Partial<Profile> = {}): Promise<Profile> => {
  const profile = aProfile(fields);
  await profiles.add(profile, noEffects);
  return profile;
};

const overrideOf = ({ clientId }: Profile, fields: Partial<NewOverride> = {}): NewOverride =>
  anOverride(clientId ? { clientId, ...fields } : fields);

/** Returns a change that stores this override, which replaces the active one. */
const createActivateDecision = (override: Override, others: readonly Override[]): OverrideChange<Override> => ({
  override,
  otherOverrides: deactivateOthers(override, others),
  ...noEffects,
});

/** Adds this many overrides for one client, one after another. The last one is active. */
const addOverrides = async ({ limits }: Stores, profile: Profile, count: number): Promise<Override[]> => {
  const overrides: Override[] = [];
  for (let index = 0; index < count; index += 1) {
    overrides.push(await limits.addOverride(profile.id, createAddDecision(overrideOf(profile))));
  }
  return overrides;
};
