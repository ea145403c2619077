import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { deactivateOthers } from '@portico/domain';
import type { NewOverride, Override, OverrideChange, Profile, Tier } from '@portico/domain';
import { assertOneWins, assertRejects, assertWritten, failDecision, rowOf } from './assertions.ts';
import type { Contract } from './contract.ts';
import { adding, anOverride, aProfile, aTier, noEffects, someEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** The contract of `LimitStore`. */
export const limitStoreContract = {
  'an added tier is listed unchanged': async (stores) => {
    const tier = aTier({ description: 'Für Straßen', isActive: true });
    const other = aTier({ tier: 'silver', description: null, isActive: false, allowed: 1, windowSeconds: 1 });
    for (const each of [tier, other]) await stores.limits.addTier(each, noEffects);
    deepStrictEqual(await stores.limits.tiers(), [tier, other]);
  },

  'tiers are listed by name in code-point order': async (stores) => {
    for (const tier of ['b', 'a_1', 'a-1', 'a', '9', 'a1', '10'])
      await stores.limits.addTier(aTier({ tier }), noEffects);
    const names = (await stores.limits.tiers()).map(({ tier }) => tier);
    deepStrictEqual(names, ['10', '9', 'a', 'a-1', 'a1', 'a_1', 'b']);
  },

  'an addition of a tier writes its effects': async (stores) => {
    const effects = someEffects();
    await stores.limits.addTier(aTier(), effects);
    await assertWritten(stores, effects);
  },

  'a tier that exists is rejected, and nothing is written': async (stores) => {
    const tier = aTier();
    await stores.limits.addTier(tier, noEffects);
    await assertRejects(stores.limits.addTier(aTier({ allowed: 1 }), someEffects()), 'tier_taken');
    deepStrictEqual(await stores.limits.tiers(), [tier]);
    await assertWritten(stores);
  },

  'of concurrent additions of one tier, exactly one succeeds': async (stores) => {
    await assertOneWins((index) => stores.limits.addTier(aTier({ allowed: index + 1 }), noEffects), 'tier_taken');
    strictEqual((await stores.limits.tiers()).length, 1);
  },

  'an update of a tier decides on the current one, stores the change and returns it': async (stores) => {
    const [before, other] = [aTier(), aTier({ tier: 'silver' })];
    for (const tier of [before, other]) await stores.limits.addTier(tier, noEffects);
    const after = aTier({ description: null, isActive: false, allowed: 1, windowSeconds: 2, updatedAt: start + 1 });
    let seen: Tier | null = null;
    const result = await stores.limits.updateTier('gold', (current) => {
      seen = current;
      return { tier: after, ...noEffects };
    });
    deepStrictEqual([seen, result], [before, after]);
    deepStrictEqual(await stores.limits.tiers(), [after, other]);
  },

  'an update of a tier writes its effects': async (stores) => {
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
      (await stores.limits.tiers()).map(({ tier }) => tier),
      ['gold'],
    );
  },

  'an update of a tier rethrows an error from the decision and changes nothing': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    await assertRejects(stores.limits.updateTier('gold', failDecision), 'already_approved');
    deepStrictEqual(await stores.limits.tiers(), [aTier()]);
    await assertWritten(stores);
  },

  'an update of a missing tier throws before the decision': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    await assertRejects(stores.limits.updateTier('silver', failDecision), 'tier_not_found');
  },

  'concurrent updates of one tier each see the previous one': async (stores) => {
    await stores.limits.addTier(aTier({ allowed: 1 }), noEffects);
    const oneMore = (tier: Tier) => ({ tier: { ...tier, allowed: tier.allowed + 1 }, ...noEffects });
    await Promise.all(Array.from({ length: 20 }, () => stores.limits.updateTier('gold', oneMore)));
    strictEqual((await stores.limits.tiers())[0]?.allowed, 21);
  },

  'a removal of a tier decides on the current one, removes only that tier and writes its effects': async (stores) => {
    const [removed, remaining] = [aTier(), aTier({ tier: 'silver' })];
    for (const tier of [removed, remaining]) await stores.limits.addTier(tier, noEffects);
    const effects = someEffects();
    let seen: Tier | null = null;
    await stores.limits.removeTier('gold', (current) => {
      seen = current;
      return { removedAt: start, ...effects };
    });
    deepStrictEqual(seen, removed);
    deepStrictEqual(await stores.limits.tiers(), [remaining]);
    await assertWritten(stores, effects);
  },

  'removing a tier removes it from every profile that has it, as an update of that profile, and from no other': async (
    stores,
  ) => {
    for (const tier of ['gold', 'silver']) await stores.limits.addTier(aTier({ tier }), noEffects);
    const removedAt = start + 60;
    const early = await addClient(stores, { tier: 'gold', updatedAt: start });
    const late = await addClient(stores, { tier: 'gold', updatedAt: removedAt });
    const [silver, none] = [await addClient(stores, { tier: 'silver' }), await addClient(stores)];
    await stores.limits.removeTier('gold', () => ({ removedAt, ...noEffects }));
    deepStrictEqual(await stores.profiles.list(), [
      { ...early, tier: null, updatedAt: removedAt },
      { ...late, tier: null, updatedAt: removedAt + 1 },
      silver,
      none,
    ]);
  },

  'a new tier with the name of a removed one starts without clients': async (stores) => {
    const profile = await addClient(stores, { tier: 'gold' });
    await stores.limits.addTier(aTier(), noEffects);
    await stores.limits.removeTier('gold', () => ({ removedAt: start, ...noEffects }));
    await stores.limits.addTier(aTier(), noEffects);
    strictEqual((await rowOf(stores, profile)).limits.tier, null);
  },

  'a removal of a tier rethrows an error from the decision and keeps the tier': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    await assertRejects(stores.limits.removeTier('gold', failDecision), 'already_approved');
    deepStrictEqual(await stores.limits.tiers(), [aTier()]);
  },

  'a removal of a missing tier throws before the decision': async (stores) => {
    await stores.limits.addTier(aTier(), noEffects);
    await assertRejects(stores.limits.removeTier('silver', failDecision), 'tier_not_found');
  },

  'an added override is returned with its id and listed unchanged': async (stores) => {
    const profile = await addClient(stores);
    for (const isActive of [false, true]) {
      const facts = overrideOf(profile, { isActive, updatedAt: start + 1 });
      const override = await stores.limits.addOverride(profile.id, adding(facts));
      const { id, ...rest } = override;
      deepStrictEqual(rest, facts);
      deepStrictEqual((await stores.limits.overrides(false)).at(-1), { id, ...facts });
    }
  },

  'overrides are listed by id': async (stores) => {
    const profile = await addClient(stores);
    const overrides = await addOverrides(stores, profile, 12);
    for (const { id } of overrides.slice(3, 6)) {
      await stores.limits.updateOverride(id, (override) => ({ override: { ...override, allowed: 1 }, ...noEffects }));
    }
    deepStrictEqual(
      (await stores.limits.overrides(false)).map(({ id }) => id),
      overrides.map(({ id }) => id),
    );
    ok(overrides.every(({ id }, index) => index === 0 || id > (overrides[index - 1]?.id ?? id)));
  },

  'the list can be limited to active overrides': async (stores) => {
    const profile = await addClient(stores);
    await stores.limits.addOverride(profile.id, adding(overrideOf(profile, { isActive: false })));
    const active = await stores.limits.addOverride(profile.id, adding(overrideOf(profile)));
    deepStrictEqual(await stores.limits.overrides(true), [active]);
    strictEqual((await stores.limits.overrides(false)).length, 2);
  },

  'overrides are listed with their clients, page by page, all or the active ones, and counted': async (stores) => {
    const [ada, bob] = [await addClient(stores), await addClient(stores)];
    const [old, adas] = await addOverrides(stores, ada, 2);
    const [bobs] = await addOverrides(stores, bob, 1);
    const pageOf = async (activeOnly: boolean, limit: number | null, after: number | null) =>
      (await stores.limits.clientOverrides({ activeOnly, limit, after })).map(({ override, client }) => [
        override.id,
        client,
      ]);
    const [adasClient, bobsClient] = [ada, bob].map(({ id, email, fullName }) => ({ id, email, fullName }));
    const lines = [
      [old?.id, adasClient],
      [adas?.id, adasClient],
      [bobs?.id, bobsClient],
    ];
    deepStrictEqual(await pageOf(false, null, null), lines);
    deepStrictEqual(await pageOf(false, 2, null), lines.slice(0, 2));
    deepStrictEqual(await pageOf(false, 2, adas?.id ?? 0), lines.slice(2));
    deepStrictEqual(await pageOf(true, 1, null), lines.slice(1, 2));
    deepStrictEqual([await stores.limits.countOverrides(false), await stores.limits.countOverrides(true)], [3, 2]);
    deepStrictEqual(
      (await stores.limits.clientOverrides({ activeOnly: true, limit: null, after: null })).map(
        ({ override }) => override,
      ),
      [adas, bobs],
    );
  },

  'the id of an override is never reused': async (stores) => {
    const profile = await addClient(stores);
    const first = await stores.limits.addOverride(profile.id, adding(overrideOf(profile)));
    await stores.limits.removeOverride(first.id, () => noEffects);
    const second = await stores.limits.addOverride(profile.id, adding(overrideOf(profile)));
    await stores.profiles.remove(profile.id, () => noEffects);
    const other = await addClient(stores);
    const third = await stores.limits.addOverride(other.id, adding(overrideOf(other)));
    strictEqual(new Set([first.id, second.id, third.id]).size, 3);
  },

  "an addition of an override sees the client's other overrides by id, and no other client's": async (stores) => {
    const [profile, other] = [await addClient(stores), await addClient(stores)];
    await addOverrides(stores, other, 1);
    const [first, second] = await addOverrides(stores, profile, 2);
    ok(first && second);
    let seen: readonly Override[] = [];
    await stores.limits.addOverride(profile.id, (others) => adding(overrideOf(profile))((seen = others)));
    deepStrictEqual(seen, [{ ...first, isActive: false, updatedAt: start + 1 }, second]);
  },

  'an addition of an override for a missing client throws before the decision': async (stores) => {
    await assertRejects(stores.limits.addOverride(aProfile().id, failDecision), 'client_not_found');
  },

  'an addition of an override rethrows an error from the decision and adds nothing': async (stores) => {
    const profile = await addClient(stores);
    await assertRejects(stores.limits.addOverride(profile.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.limits.overrides(false), []);
    await assertWritten(stores);
  },

  'an addition of an override writes its effects': async (stores) => {
    const profile = await addClient(stores);
    const effects = someEffects();
    await stores.limits.addOverride(profile.id, adding(overrideOf(profile), effects));
    await assertWritten(stores, effects);
  },

  "a new active override deactivates the client's others, and no other client's": async (stores) => {
    const [profile, other] = [await addClient(stores), await addClient(stores)];
    const foreign = await stores.limits.addOverride(other.id, adding(overrideOf(other)));
    await stores.limits.addOverride(profile.id, adding(overrideOf(profile)));
    const active = await stores.limits.addOverride(profile.id, adding(overrideOf(profile)));
    deepStrictEqual(await stores.limits.overrides(true), [foreign, active]);
  },

  "a new inactive override does not deactivate the client's active one": async (stores) => {
    const profile = await addClient(stores);
    const active = await stores.limits.addOverride(profile.id, adding(overrideOf(profile)));
    await stores.limits.addOverride(profile.id, adding(overrideOf(profile, { isActive: false })));
    deepStrictEqual(await stores.limits.overrides(true), [active]);
  },

  'an override that is deactivated for another has the time of that change': async (stores) => {
    const profile = await addClient(stores);
    const facts = overrideOf(profile, { updatedAt: start });
    const { id } = await stores.limits.addOverride(profile.id, adding(facts));
    await stores.limits.addOverride(profile.id, adding(overrideOf(profile, { updatedAt: start + 60 })));
    const replaced = (await stores.limits.overrides(false)).find((override) => override.id === id);
    deepStrictEqual(replaced, { ...facts, id, isActive: false, updatedAt: start + 60 });
  },

  'of concurrently added active overrides, one remains active': async (stores) => {
    const profile = await addClient(stores);
    const add = () => stores.limits.addOverride(profile.id, adding(overrideOf(profile)));
    const overrides = await Promise.all(Array.from({ length: 20 }, add));
    strictEqual(new Set(overrides.map(({ id }) => id)).size, 20);
    strictEqual((await stores.limits.overrides(true)).length, 1);
  },

  'an update of an override decides on the current one, stores the change and returns it': async (stores) => {
    const profile = await addClient(stores);
    const before = await stores.limits.addOverride(profile.id, adding(overrideOf(profile)));
    const after: Override = { ...before, isActive: false, allowed: 1, windowSeconds: 2, updatedAt: start + 1 };
    let seen: Override | null = null;
    const result = await stores.limits.updateOverride(before.id, (current) => {
      seen = current;
      return { override: after, ...noEffects };
    });
    deepStrictEqual([seen, result], [before, after]);
    deepStrictEqual(await stores.limits.overrides(false), [after]);
  },

  'an update of an override writes its effects': async (stores) => {
    const profile = await addClient(stores);
    const { id } = await stores.limits.addOverride(profile.id, adding(overrideOf(profile)));
    const effects = someEffects();
    await stores.limits.updateOverride(id, (override) => ({ override, ...effects }));
    await assertWritten(stores, effects);
  },

  "an override that becomes active deactivates the client's others, and no other client's": async (stores) => {
    const [profile, other] = [await addClient(stores), await addClient(stores)];
    const foreign = await stores.limits.addOverride(other.id, adding(overrideOf(other)));
    const [first] = await addOverrides(stores, profile, 2);
    ok(first);
    await stores.limits.updateOverride(first.id, (current, _client, others) =>
      activating({ ...current, isActive: true }, others),
    );
    deepStrictEqual(
      (await stores.limits.overrides(true)).map(({ id }) => id),
      [foreign.id, first.id],
    );
  },

  "an update of an override sees the client's other overrides by id, and no other client's": async (stores) => {
    const [profile, other] = [await addClient(stores), await addClient(stores)];
    await addOverrides(stores, other, 1);
    const [first, second, third] = await addOverrides(stores, profile, 3);
    ok(first && second && third);
    let seen: readonly Override[] = [];
    await stores.limits.updateOverride(second.id, (override, _client, others) => {
      seen = others;
      return { override, ...noEffects };
    });
    deepStrictEqual(seen, [{ ...first, isActive: false, updatedAt: start + 1 }, third]);
  },

  'an update of an override rethrows an error from the decision and changes nothing': async (stores) => {
    const profile = await addClient(stores);
    const override = await stores.limits.addOverride(profile.id, adding(overrideOf(profile)));
    await assertRejects(stores.limits.updateOverride(override.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.limits.overrides(false), [override]);
    await assertWritten(stores);
  },

  'an update of a missing override throws before the decision': async (stores) => {
    await assertRejects(stores.limits.updateOverride(1, failDecision), 'override_not_found');
  },

  'a removal of an override decides on the current one, removes only that one and writes its effects': async (
    stores,
  ) => {
    const profile = await addClient(stores);
    const [remaining, removed] = await addOverrides(stores, profile, 2);
    ok(removed);
    const effects = someEffects();
    let seen: Override | null = null;
    await stores.limits.removeOverride(removed.id, (current) => {
      seen = current;
      return effects;
    });
    deepStrictEqual(seen, removed);
    deepStrictEqual(
      (await stores.limits.overrides(false)).map(({ id }) => id),
      [remaining?.id],
    );
    await assertWritten(stores, effects);
  },

  'an update and a removal of an override see its client': async (stores) => {
    const [profile, other] = [await addClient(stores), await addClient(stores)];
    await stores.limits.addOverride(other.id, adding(overrideOf(other)));
    const { id } = await stores.limits.addOverride(profile.id, adding(overrideOf(profile)));
    const seen: Profile[] = [];
    await stores.limits.updateOverride(id, (override, client) => {
      seen.push(client);
      return { override, ...noEffects };
    });
    await stores.limits.removeOverride(id, (_override, client) => {
      seen.push(client);
      return noEffects;
    });
    deepStrictEqual(seen, [profile, profile]);
  },

  'a removal of an override rethrows an error from the decision and keeps the override': async (stores) => {
    const profile = await addClient(stores);
    const override = await stores.limits.addOverride(profile.id, adding(overrideOf(profile)));
    await assertRejects(stores.limits.removeOverride(override.id, failDecision), 'already_approved');
    deepStrictEqual(await stores.limits.overrides(false), [override]);
  },

  'a removal of a missing override throws before the decision': async (stores) => {
    await assertRejects(stores.limits.removeOverride(1, failDecision), 'override_not_found');
  },
} satisfies Contract<Stores>;

const addClient = async ({ profiles }: Stores, facts: Partial<Profile> = {}): Promise<Profile> => {
  const profile = aProfile(facts);
  await profiles.add(profile, noEffects);
  return profile;
};

const overrideOf = ({ clientId }: Profile, facts: Partial<NewOverride> = {}): NewOverride =>
  anOverride(clientId ? { clientId, ...facts } : facts);

/** Returns a change that stores this override, which replaces the active one. */
const activating = (override: Override, others: readonly Override[]): OverrideChange<Override> => ({
  override,
  others: deactivateOthers(override, others),
  ...noEffects,
});

/** Adds this many overrides for one client, one after another. The last one is active. */
const addOverrides = async ({ limits }: Stores, profile: Profile, count: number): Promise<Override[]> => {
  const overrides: Override[] = [];
  for (let index = 0; index < count; index += 1) {
    overrides.push(await limits.addOverride(profile.id, adding(overrideOf(profile))));
  }
  return overrides;
};
