import { deepStrictEqual } from 'node:assert/strict';
import type { Profile } from '@portico/domain';
import { assertRejects } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantToClient } from './granting.ts';
import { aCollection, aContent, aProfile, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/**
 * The stores, and a function that adds a profile as earlier versions did: they compared e-mails character by character.
 */
export interface LegacyStores extends Stores {
  readonly put: (profile: Profile) => Promise<void>;
}

/**
 * The contract of the stores for several profiles that share a mailbox, because an earlier version treated their
 * e-mails as different.
 */
export const sharedMailboxContract = {
  'of several profiles of a mailbox, the exact e-mail finds one, and any other form finds the first': async (
    stores,
  ) => {
    const [first, ...others] = await addSharedMailbox(stores);
    for (const profile of [first, ...others])
      deepStrictEqual(await stores.profiles.findByEmail(profile.email), profile);
    for (const form of otherForms) {
      deepStrictEqual(await stores.profiles.findByEmail(form), first);
      await stores.profiles.claimAdmin({ uid: 'nobody', email: form }, ({ match }) => {
        deepStrictEqual(match, first);
        return null;
      });
    }
  },

  'after one of them is removed, the oldest of the others is the first, and the mailbox is taken until all are removed':
    async (stores) => {
      const [first, young, old] = await addSharedMailbox(stores);
      for (const [removed, expected] of [
        [first, old],
        [young, old],
      ] as const) {
        await stores.profiles.remove(removed.id, () => noEffects);
        for (const email of otherForms) {
          deepStrictEqual(await stores.profiles.findByEmail(email), expected);
          await assertRejects(stores.profiles.add(aProfile({ email }), noEffects), 'email_taken');
        }
      }
      await stores.profiles.remove(old.id, () => noEffects);
      await stores.profiles.add(aProfile({ email: first.email }), noEffects);
    },

  'the access matrix of an e-mail is that of the one profile that it finds': async (stores) => {
    const all = await addSharedMailbox(stores);
    const collection = aCollection();
    await stores.collections.add(collection, aContent(), noEffects);
    for (const { id } of all)
      await grantToClient(stores.grants, id, collection.id, () => ({ grantedAt: start, ...noEffects }));
    const [first] = all;
    for (const [name, expected] of [...all.map((one) => [one.email, one] as const), [otherForms[0], first] as const]) {
      const filter = { profile: { by: 'name', name }, group: null, collection: null } as const;
      const rows = await stores.accessMatrix.rows({ ...filter, expiringBefore: null, liveAt: null }, null, 9);
      deepStrictEqual(
        rows.map(({ client }) => client),
        [expected],
      );
    }
  },
} satisfies Contract<LegacyStores>;

const otherForms = ['B@b\u00fccher.example', 'b@bu\u0308cher.example', 'b@XN--bcher-kva.example'] as const;

/**
 * Adds the oldest profile, which owns the mailbox, then the youngest, and then one whose creation time is between
 * theirs.
 */
const addSharedMailbox = async ({ profiles, put }: LegacyStores) => {
  const first = aProfile({ email: 'b@b\u00fccher.example', createdAt: start });
  const young = aProfile({ email: 'b@xn--bcher-kva.example', createdAt: start + 2 });
  const old = aProfile({ email: 'b@B\u00fccher.example', createdAt: start + 1 });
  await profiles.add(first, noEffects);
  for (const profile of [young, old]) await put(profile);
  return [first, young, old] as const;
};
