import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { allProfiles, type Profile, type ProfileFilter, type ProfilePage, wholeList } from '@portico/domain';
import type { Contract } from './contract.ts';
import { anAdmin, aProfile, nextId, noEffects, start } from './records.ts';
import type { Stores } from './stores.ts';

const orders = ['oldest', 'newest'] as const;

/** The contract of `ProfileStore` for filters and pages. */
export const profileSelectionContract = {
  'without a filter, all profiles are selected, oldest or newest first, ties by id': async (stores) => {
    const [first, second, third] = [aProfile(), aProfile(), aProfile()];
    const old = aProfile({ createdAt: start - 1 });
    await addAll(stores, [second, old, third, first]);
    const expected = [old, first, second, third];
    deepStrictEqual(await stores.profiles.select(allProfiles, wholeList), expected);
    deepStrictEqual(
      await stores.profiles.select(allProfiles, { ...wholeList, order: 'newest' }),
      expected.toReversed(),
    );
    strictEqual(await stores.profiles.count(allProfiles), 4);
  },

  'a filter by role, by status or by suspension excludes the others': async (stores) => {
    const [admin, client] = [anAdmin(), aProfile()];
    const suspended = aProfile({ suspendedAt: start + 9 });
    const [pending, rejected] = [unapproved('pending'), unapproved('rejected')];
    await addAll(stores, [admin, client, suspended, pending, rejected]);
    await assertSelected(stores, { role: 'admin' }, [admin]);
    await assertSelected(stores, { role: 'client' }, [client, suspended, pending, rejected]);
    await assertSelected(stores, { status: 'approved' }, [admin, client, suspended]);
    await assertSelected(stores, { status: 'pending' }, [pending]);
    await assertSelected(stores, { status: 'rejected' }, [rejected]);
    await assertSelected(stores, { suspended: true }, [suspended]);
    await assertSelected(stores, { suspended: false, status: 'approved', role: 'client' }, [client]);
  },

  'a text is found in the e-mail or the full name, ignoring case in every script': async (stores) => {
    const ada = aProfile({ email: 'ada@example.com', fullName: 'Countess LOVELACE' });
    const asa = aProfile({ email: 'åsa@example.com', fullName: 'A\u030asa Öst' });
    const kelvin = aProfile({ email: 'w@example.com', fullName: 'William \u212aelvin' });
    await addAll(stores, [ada, asa, kelvin]);
    await assertSelected(stores, { text: 'lovelace' }, [ada]);
    await assertSelected(stores, { text: 'ADA@EXAMPLE' }, [ada]);
    await assertSelected(stores, { text: 'ÅSA ö' }, [asa]);
    await assertSelected(stores, { text: 'Åsa@' }, [asa]);
    await assertSelected(stores, { text: 'kelvin' }, [kelvin]);
    await assertSelected(stores, { text: 'a\u030asa@Example.com' }, [asa]);
    await assertSelected(stores, { text: 'example.com' }, [ada, asa, kelvin]);
  },

  'a text is not a pattern': async (stores) => {
    const plain = aProfile({ fullName: 'Ann Percent' });
    const signs = aProfile({ fullName: '100% a_b !c \\d' });
    await addAll(stores, [plain, signs]);
    for (const text of ['0%', 'a_b', '!c', '\\d']) await assertSelected(stores, { text }, [signs]);
    for (const text of ['a%e', 'n_p', '!p']) await assertSelected(stores, { text }, []);
  },

  'pages cover the selection, with no profile repeated or left out': async (stores) => {
    const profileOf = (createdAt: number, fullName: string) => aProfile({ createdAt: start + createdAt, fullName });
    const people = [
      profileOf(0, 'Bo'),
      profileOf(0, 'Éo'),
      profileOf(0, 'Al'),
      profileOf(1, 'Mo'),
      profileOf(2, 'ÉO'),
      profileOf(3, 'Éa'),
    ];
    await addAll(stores, people);
    for (const order of orders)
      for (const filter of [allProfiles, { ...allProfiles, text: 'o' }, { ...allProfiles, text: 'éo' }]) {
        const whole = await stores.profiles.select(filter, { ...wholeList, order });
        for (const limit of [1, 2, 6, 7]) deepStrictEqual(await pagesOf(stores, filter, order, limit), whole);
      }
  },

  'a page has as many profiles as its limit, if there are that many': async (stores) => {
    const many = Array.from({ length: 1_200 }, (_, at) =>
      aProfile({ createdAt: start + at, fullName: at % 400 === 399 ? 'Zoë Found' : 'Łukasz Other' }),
    );
    await addAll(stores, many);
    const matches = many.filter(({ fullName }) => fullName === 'Zoë Found');
    const page = { ...wholeList, limit: 2 };
    deepStrictEqual(await stores.profiles.select({ ...allProfiles, text: 'zoë' }, page), matches.slice(0, 2));
    strictEqual(await stores.profiles.count({ ...allProfiles, text: 'zoë' }), 3);
  },

  'a page starts after its cursor even if no profile is there': async (stores) => {
    const [first, second] = [aProfile({ createdAt: start }), aProfile({ createdAt: start + 2 })];
    await addAll(stores, [first, second]);
    const after = { createdAt: start + 1, id: nextId<Profile['id']>() };
    const pageAfter = (order: ProfilePage['order']) => stores.profiles.select(allProfiles, { order, limit: 9, after });
    deepStrictEqual([await pageAfter('oldest'), await pageAfter('newest')], [[second], [first]]);
  },
} satisfies Contract<Stores>;

const unapproved = (status: 'pending' | 'rejected'): Profile => aProfile({ status });

const addAll = async ({ profiles }: Stores, all: readonly Profile[]): Promise<void> => {
  for (const profile of all) await profiles.add(profile, noEffects);
};

const assertSelected = async (
  { profiles }: Stores,
  of: Partial<ProfileFilter>,
  expected: readonly Profile[],
): Promise<void> => {
  const filter = { ...allProfiles, ...of };
  deepStrictEqual(await profiles.select(filter, wholeList), expected);
  strictEqual(await profiles.count(filter), expected.length);
};

const pagesOf = async (
  { profiles }: Stores,
  filter: ProfileFilter,
  order: ProfilePage['order'],
  limit: number,
): Promise<readonly Profile[]> => {
  const all: Profile[] = [];
  for (let pages = 0; pages < 20; pages += 1) {
    const page = await profiles.select(filter, { order, limit, after: all.at(-1) ?? null });
    if (page.length === 0) break;
    all.push(...page);
  }
  return all;
};
