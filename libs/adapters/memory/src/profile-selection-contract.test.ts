import { profileSelectionContract } from '@portico/contracts';
import { allProfiles, type Profile, type ProfileFilter, type ProfilePage, wholeList } from '@portico/domain';
import { type Breach, breachesOf, breakPort } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { select } = breachesOf('profiles');

/** Changes a selection's filter and page. */
const mapSelection = (
  change: (filter: ProfileFilter, page: ProfilePage) => readonly [ProfileFilter, ProfilePage],
): Breach =>
  breakPort('profiles', (original) => ({
    select: (filter, page) => original.select(...change(filter, page)),
    count: (filter) => original.count(change(filter, wholeList)[0]),
  }));

/** Matches the filter's text according to a different rule. */
const matchText = (isMatch: (text: string, profile: Profile) => boolean): Breach =>
  select.replaceWith(async ([filter, page], original) =>
    (await original.select({ ...filter, text: null }, page)).filter(
      (profile) => filter.text === null || isMatch(filter.text, profile),
    ),
  );

const asciiLower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

proveStores('the memory profile store, on selections', profileSelectionContract, {
  'without a filter, all profiles are selected, oldest or newest first, ties by id': mapSelection((filter, page) => [
    filter,
    { ...page, order: 'oldest' },
  ]),
  'a filter by role, by status or by suspension excludes the others': mapSelection((filter, page) => [
    { ...filter, suspended: null },
    page,
  ]),
  'a text is found in the e-mail or the full name, ignoring case in every script': matchText(
    (text, { email, fullName }) => [email, fullName].some((name) => asciiLower(name).includes(asciiLower(text))),
  ),
  'a text is not a pattern': matchText((text, { email, fullName }) => {
    const pattern = new RegExp(text.replace(/[\\!]/g, '\\$&').replaceAll('%', '.*').replaceAll('_', '.'), 'i');
    return pattern.test(email) || pattern.test(fullName);
  }),
  'pages cover the selection, with no profile repeated or left out': select.replaceWith(
    async ([filter, { order, limit, after }], original) => {
      const whole = await original.select(filter, { ...wholeList, order });
      const remaining = after ? whole.filter(({ createdAt }) => createdAt !== after.createdAt) : whole;
      return remaining.slice(0, limit ?? remaining.length);
    },
  ),
  'a page has as many profiles as its limit, if there are that many': select.replaceWith(
    async ([filter, page], original) => {
      const candidates = await original.select(allProfiles, { ...page, limit: 500 });
      const ids = new Set((await original.select(filter, wholeList)).map(({ id }) => id));
      return candidates.filter(({ id }) => ids.has(id)).slice(0, page.limit ?? candidates.length);
    },
  ),
  'a page starts after its cursor even if no profile is there': select.replaceWith(async ([filter, page], original) => {
    const place = page.after && (await original.find(page.after.id));
    return original.select(filter, place ? page : { ...page, after: null });
  }),
});
