import { deepStrictEqual } from 'node:assert/strict';
import type { Profile } from '@portico/domain';
import { assertRejects } from './assertions.ts';
import type { Contract } from './contract.ts';
import { grantToClient } from './granting.ts';
import { aCollection, aDocumentContent, aProfile, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

/**
 * The stores, and a function that adds a profile as earlier versions did: they compared emails character by character.
 */
export interface LegacyStores extends Stores {
  readonly putLegacyProfile: (profile: Profile) => Promise<void>;
}

/**
 * The contract of the stores for several profiles that share a mailbox, because an earlier version treated their
 * emails as different.
 */
export const sharedMailboxContract = {
  'if several profiles share a mailbox, the exact email finds its own profile, and any other form finds the first one':
    async (stores) => {
      const [first, ...otherProfiles] = await addSharedMailbox(stores);
      for (const profile of [first, ...otherProfiles])
        deepStrictEqual(await stores.profiles.findByEmail(profile.email), profile);
      for (const form of otherForms) {
        deepStrictEqual(await stores.profiles.findByEmail(form), first);
        await stores.profiles.claimAdmin({ uid: 'nobody', email: form }, ({ match }) => {
          deepStrictEqual(match, first);
          return null;
        });
      }
    },

  'after one of the profiles is removed, the oldest of the others is the first, and the mailbox is taken until all are removed':
    async (stores) => {
      const [first, youngest, middle] = await addSharedMailbox(stores);
      for (const [removedProfile, expected] of [
        [first, middle],
        [youngest, middle],
      ] as const) {
        await stores.profiles.remove(removedProfile.id, () => noEffects);
        for (const email of otherForms) {
          deepStrictEqual(await stores.profiles.findByEmail(email), expected);
          await assertRejects(stores.profiles.add(aProfile({ email }), noEffects), 'email_taken');
        }
      }
      await stores.profiles.remove(middle.id, () => noEffects);
      await stores.profiles.add(aProfile({ email: first.email }), noEffects);
    },

  'the access matrix of an email shows only the profile that the email finds': async (stores) => {
    const sharedProfiles = await addSharedMailbox(stores);
    const collection = aCollection();
    await stores.collections.add(collection, aDocumentContent(), noEffects);
    for (const { id } of sharedProfiles)
      await grantToClient(stores.grants, id, collection.id, () => ({ grantedAt: start, ...noEffects }));
    const [first] = sharedProfiles;
    for (const [name, expected] of [
      ...sharedProfiles.map((profile) => [profile.email, profile] as const),
      [otherForms[0], first] as const,
    ]) {
      const filter = { profile: { by: 'name', name }, group: null, collection: null } as const;
      const rows = await stores.accessMatrix.listRows({ ...filter, expiringBefore: null, liveAt: null }, null, 9);
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
const addSharedMailbox = async ({ profiles, putLegacyProfile }: LegacyStores) => {
  const first = aProfile({ email: 'b@b\u00fccher.example', createdAt: start });
  const youngest = aProfile({ email: 'b@xn--bcher-kva.example', createdAt: start + 2 });
  const middle = aProfile({ email: 'b@B\u00fccher.example', createdAt: start + 1 });
  await profiles.add(first, noEffects);
  for (const profile of [youngest, middle]) await putLegacyProfile(profile);
  return [first, youngest, middle] as const;
};
