import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { allProfiles, type Profile, type ProfileFilter, type ProfilePage, oldestFirst } from '@portico/domain';
import type { Contract } from './contract.ts';
import { anAdmin, aProfile, nextId, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

const orders = ['oldest', 'newest'] as const;

/** The contract of `ProfileStore` for filters and pages. */
export const profileSelectionContract = {
  'without a filter, all profiles are selected, oldest or newest first, then by id': async (stores) => {
    const [first, second, third] = [aProfile(), aProfile(), aProfile()];
    const oldest = aProfile({ createdAt: start - 1 });
    await addProfiles(stores, [second, oldest, third, first]);
    const expected = [oldest, first, second, third];
    deepStrictEqual(await stores.profiles.select(allProfiles, oldestFirst), expected);
    deepStrictEqual(
      await stores.profiles.select(allProfiles, { ...oldestFirst, order: 'newest' }),
      expected.toReversed(),
    );
    strictEqual(await stores.profiles.count(allProfiles), 4);
  },

  'a filter by role, status or suspension excludes all other profiles': async (stores) => {
    const [admin, client] = [anAdmin(), aProfile()];
    const suspendedClient = aProfile({ suspendedAt: start + 9 });
    const [pendingClient, rejectedClient] = [unapprovedProfile('pending'), unapprovedProfile('rejected')];
    await addProfiles(stores, [admin, client, suspendedClient, pendingClient, rejectedClient]);
    await assertSelected(stores, { role: 'admin' }, [admin]);
    await assertSelected(stores, { role: 'client' }, [client, suspendedClient, pendingClient, rejectedClient]);
    await assertSelected(stores, { status: 'approved' }, [admin, client, suspendedClient]);
    await assertSelected(stores, { status: 'pending' }, [pendingClient]);
    await assertSelected(stores, { status: 'rejected' }, [rejectedClient]);
    await assertSelected(stores, { suspended: true }, [suspendedClient]);
    await assertSelected(stores, { suspended: false, status: 'approved', role: 'client' }, [client]);
  },

  'a text filter searches the email and the full name, ignoring case in every script': async (stores) => {
    const ada = aProfile({ email: 'ada@example.com', fullName: 'Countess LOVELACE' });
    const asa = aProfile({ email: 'åsa@example.com', fullName: 'A\u030asa Öst' });
    const kelvin = aProfile({ email: 'w@example.com', fullName: 'William \u212aelvin' });
    await addProfiles(stores, [ada, asa, kelvin]);
    await assertSelected(stores, { text: 'lovelace' }, [ada]);
    await assertSelected(stores, { text: 'ADA@EXAMPLE' }, [ada]);
    await assertSelected(stores, { text: 'ÅSA ö' }, [asa]);
    await assertSelected(stores, { text: 'Åsa@' }, [asa]);
    await assertSelected(stores, { text: 'kelvin' }, [kelvin]);
    await assertSelected(stores, { text: 'a\u030asa@Example.com' }, [asa]);
    await assertSelected(stores, { text: 'example.com' }, [ada, asa, kelvin]);
  },

  'a text filter is not a pattern': async (stores) => {
    const plainProfile = aProfile({ fullName: 'Ann Percent' });
    const profileWithSigns = aProfile({ fullName: '100% a_b !c \\d' });
    await addProfiles(stores, [plainProfile, profileWithSigns]);
    for (const text of ['0%', 'a_b', '!c', '\\d']) await assertSelected(stores, { text }, [profileWithSigns]);
    for (const text of ['a%e', 'n_p', '!p']) await assertSelected(stores, { text }, []);
  },

  'the pages contain each selected profile exactly once': async (stores) => {
    const profileOf = (createdAt: number, fullName: string) => aProfile({ createdAt: start + createdAt, fullName });
    const people = [
      profileOf(0, 'Bo'),
      profileOf(0, 'Éo'),
      profileOf(0, 'Al'),
      profileOf(1, 'Mo'),
      profileOf(2, 'ÉO'),
      profileOf(3, 'Éa'),
    ];
    await addProfiles(stores, people);
    for (const order of orders)
      for (const filter of [allProfiles, { ...allProfiles, text: 'o' }, { ...allProfiles, text: 'éo' }]) {
        const fullList = await stores.profiles.select(filter, { ...oldestFirst, order });
        for (const limit of [1, 2, 6, 7]) deepStrictEqual(await pagesOf(stores, filter, order, limit), fullList);
      }
  },

  'a page is filled up to its limit if there are enough profiles': async (stores) => {
    const manyProfiles = Array.from({ length: 1_200 }, (_, index) =>
      aProfile({ createdAt: start + index, fullName: index % 400 === 399 ? 'Zoë Found' : 'Łukasz Other' }),
    );
    await addProfiles(stores, manyProfiles);
    const matches = manyProfiles.filter(({ fullName }) => fullName === 'Zoë Found');
    const page = { ...oldestFirst, limit: 2 };
    deepStrictEqual(await stores.profiles.select({ ...allProfiles, text: 'zoë' }, page), matches.slice(0, 2));
    strictEqual(await stores.profiles.count({ ...allProfiles, text: 'zoë' }), 3);
  },

  'a page starts after its cursor even if there is no profile at the cursor': async (stores) => {
    const [first, second] = [aProfile({ createdAt: start }), aProfile({ createdAt: start + 2 })];
    await addProfiles(stores, [first, second]);
    const after = { createdAt: start + 1, id: nextId<Profile['id']>() };
    const selectPage = (order: ProfilePage['order']) => stores.profiles.select(allProfiles, { order, limit: 9, after });
    deepStrictEqual([await selectPage('oldest'), await selectPage('newest')], [[second], [first]]);
  },
} satisfies Contract<Stores>;

const unapprovedProfile = (status: 'pending' | 'rejected'): Profile => aProfile({ status });

const addProfiles = async ({ profiles }: Stores, newProfiles: readonly Profile[]): Promise<void> => {
  for (const profile of newProfiles) await profiles.add(profile, noEffects);
};

const assertSelected = async (
  { profiles }: Stores,
  partialFilter: Partial<ProfileFilter>,
  expected: readonly Profile[],
): Promise<void> => {
  const filter = { ...allProfiles, ...partialFilter };
  deepStrictEqual(await profiles.select(filter, oldestFirst), expected);
  strictEqual(await profiles.count(filter), expected.length);
};

const pagesOf = async (
  { profiles }: Stores,
  filter: ProfileFilter,
  order: ProfilePage['order'],
  limit: number,
): Promise<readonly Profile[]> => {
  const selectedProfiles: Profile[] = [];
  for (let pages = 0; pages < 20; pages += 1) {
    const page = await profiles.select(filter, { order, limit, after: selectedProfiles.at(-1) ?? null });
    if (page.length === 0) break;
    selectedProfiles.push(...page);
  }
  return selectedProfiles;
};
