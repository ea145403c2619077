import { deepStrictEqual } from 'node:assert/strict';
import type { Profile } from '@portico/domain';
import { assertRefused } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantOne } from './granting.ts';
import { aCollection, aContent, aProfile, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/** Stores, with a way to put a profile into their database as versions did that compared e-mails letter by letter. */
export interface EarlierStores extends Stores {
  readonly put: (profile: Profile) => Promise<void>;
}

/** What the stores promise of several profiles of one mailbox, which an earlier version told apart. */
export const sharedMailboxContract = {
  'of several profiles of a mailbox, the exact e-mail names one, and any other form the first': async (stores) => {
    const [first, ...others] = await sharing(stores);
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

  'when one of them is removed, the first is the oldest of the others, and the mailbox is taken until the last is':
    async (stores) => {
      const [first, young, old] = await sharing(stores);
      for (const [gone, named] of [
        [first, old],
        [young, old],
      ] as const) {
        await stores.profiles.remove(gone.id, () => noEffects);
        for (const email of otherForms) {
          deepStrictEqual(await stores.profiles.findByEmail(email), named);
          await assertRefused(stores.profiles.add(aProfile({ email }), noEffects), 'email_taken');
        }
      }
      await stores.profiles.remove(old.id, () => noEffects);
      await stores.profiles.add(aProfile({ email: first.email }), noEffects);
    },

  'the access matrix of an e-mail is that of the one profile that it names': async (stores) => {
    const all = await sharing(stores);
    const collection = aCollection();
    await stores.collections.add(collection, aContent(), noEffects);
    for (const { id } of all)
      await grantOne(stores.grants, id, collection.id, () => ({ grantedAt: start, ...noEffects }));
    const [first] = all;
    for (const [name, named] of [...all.map((one) => [one.email, one] as const), [otherForms[0], first] as const]) {
      const filter = { profile: { by: 'name', name }, group: null, collection: null } as const;
      const rows = await stores.accessMatrix.rows({ ...filter, expiringBefore: null, liveAt: null }, null, 9);
      deepStrictEqual(
        rows.map(({ client }) => client),
        [named],
      );
    }
  },
} satisfies Contract<EarlierStores>;

const otherForms = ['B@b\u00fccher.example', 'b@bu\u0308cher.example', 'b@XN--bcher-kva.example'] as const;

/** The first holds the mailbox, and is the oldest; then a young one, and one between them. */
const sharing = async ({ profiles, put }: EarlierStores) => {
  const first = aProfile({ email: 'b@b\u00fccher.example', createdAt: start });
  const young = aProfile({ email: 'b@xn--bcher-kva.example', createdAt: start + 2 });
  const old = aProfile({ email: 'b@B\u00fccher.example', createdAt: start + 1 });
  await profiles.add(first, noEffects);
  for (const profile of [young, old]) await put(profile);
  return [first, young, old] as const;
};
