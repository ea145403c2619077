import { profileSelectionContract } from '@portico/contracts';
import { allProfiles, type Profile, type ProfileFilter, type ProfilePage, oldestFirst } from '@portico/domain';
import { type Breach, breachesOf, breakPort } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { select } = breachesOf('profiles');

/** Changes a selection's filter and page. */
const mapSelection = (
  change: (filter: ProfileFilter, page: ProfilePage) => readonly [ProfileFilter, ProfilePage],
): Breach =>
  breakPort('profiles', (original) => ({
    select: (filter, page) => original.select(...change(filter, page)),
    count: (filter) => original.count(change(filter, oldestFirst)[0]),
  }));

/** Matches the filter's text according to a different rule. */
const matchText = (isMatch: (text: string, profile: Profile) => boolean): Breach =>
  select.replaceWith(async ([filter, page], original) =>
    (await original.select({ ...filter, text: null }, page)).filter(
      (profile) => filter.text === null || isMatch(filter.text, profile),
    ),
  );

const toAsciiLowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

proveStores('the memory profile store, on selections', profileSelectionContract, {
  'without a filter, all profiles are selected, oldest or newest first, then by id': mapSelection((filter, page) => [
    filter,
    { ...page, order: 'oldest' },
  ]),
  'a filter by role, status or suspension excludes all other profiles': mapSelection((filter, page) => [
    { ...filter, suspended: null },
    page,
  ]),
  'a text filter searches the email and the full name, ignoring case in every script': matchText(
    (text, { email, fullName }) =>
      [email, fullName].some((name) => toAsciiLowerCase(name).includes(toAsciiLowerCase(text))),
  ),
  'a text filter is not a pattern': matchText((text, { email, fullName }) => {
    const pattern = new RegExp(text.replace(/[\\!]/g, '\\$&').replaceAll('%', '.*').replaceAll('_', '.'), 'i');
    return pattern.test(email) || pattern.test(fullName);
  }),
  'the pages contain each selected profile exactly once': select.replaceWith(
    async ([filter, { order, limit, after }], original) => {
      const allProfiles = await original.select(filter, { ...oldestFirst, order });
      const remainingProfiles = after
        ? allProfiles.filter(({ createdAt }) => createdAt !== after.createdAt)
        : allProfiles;
      return remainingProfiles.slice(0, limit ?? remainingProfiles.length);
    },
  ),
  'a page is filled up to its limit if there are enough profiles': select.replaceWith(
    async ([filter, page], original) => {
      const candidates = await original.select(allProfiles, { ...page, limit: 500 });
      const ids = new Set((await original.select(filter, oldestFirst)).map(({ id }) => id));
      return candidates.filter(({ id }) => ids.has(id)).slice(0, page.limit ?? candidates.length);
    },
  ),
  'a page starts after its cursor even if there is no profile at the cursor': select.replaceWith(
    async ([filter, page], original) => {
      const cursorProfile = page.after && (await original.find(page.after.id));
      return original.select(filter, cursorProfile ? page : { ...page, after: null });
    },
  ),
});
