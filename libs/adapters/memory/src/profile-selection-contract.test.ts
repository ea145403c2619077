import { profileSelectionContract } from '@portico/contracts';
import { everyProfile, type Profile, type ProfileFilter, type ProfilePage, wholeList } from '@portico/domain';
import { type Breach, breachesOf, breaking } from '../test/breaking.ts';
import { proveStores } from '../test/prove-contract.ts';

const { select } = breachesOf('profiles');

/** A selection that asks for something else. */
const asking = (change: (filter: ProfileFilter, page: ProfilePage) => readonly [ProfileFilter, ProfilePage]): Breach =>
  breaking('profiles', (right) => ({
    select: (filter, page) => right.select(...change(filter, page)),
    count: (filter) => right.count(change(filter, wholeList)[0]),
  }));

/** A text that is found as its own rule says. */
const finding = (isFound: (text: string, profile: Profile) => boolean): Breach =>
  select.instead(async ([filter, page], right) =>
    (await right.select({ ...filter, text: null }, page)).filter(
      (profile) => filter.text === null || isFound(filter.text, profile),
    ),
  );

const asciiLower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

proveStores('the selections of the memory profile store', profileSelectionContract, {
  'without a filter all profiles are selected, oldest or newest first, ties by id': asking((filter, page) => [
    filter,
    { ...page, order: 'oldest' },
  ]),
  'a filter by role, by status or by suspension leaves out the others': asking((filter, page) => [
    { ...filter, suspended: null },
    page,
  ]),
  'a text is found in the e-mail or the full name, whatever the case and the script': finding(
    (text, { email, fullName }) => [email, fullName].some((name) => asciiLower(name).includes(asciiLower(text))),
  ),
  'a text is no pattern': finding((text, { email, fullName }) => {
    const pattern = new RegExp(text.replace(/[\\!]/g, '\\$&').replaceAll('%', '.*').replaceAll('_', '.'), 'i');
    return pattern.test(email) || pattern.test(fullName);
  }),
  'pages cover what is selected, with no profile repeated or left out': select.instead(
    async ([filter, { order, limit, after }], right) => {
      const whole = await right.select(filter, { ...wholeList, order });
      const behind = after ? whole.filter(({ createdAt }) => createdAt !== after.createdAt) : whole;
      return behind.slice(0, limit ?? behind.length);
    },
  ),
  'a page holds as many profiles as its limit, as long as there are so many': select.instead(
    async ([filter, page], right) => {
      const candidates = await right.select(everyProfile, { ...page, limit: 500 });
      const found = new Set((await right.select(filter, wholeList)).map(({ id }) => id));
      return candidates.filter(({ id }) => found.has(id)).slice(0, page.limit ?? candidates.length);
    },
  ),
  'a page starts behind its place even if nobody is there': select.instead(async ([filter, page], right) => {
    const place = page.after && (await right.find(page.after.id));
    return right.select(filter, place ? page : { ...page, after: null });
  }),
});
