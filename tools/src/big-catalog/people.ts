import { dayMs, type ClientId, type Instant, type Profile, type ProfileId } from '@portico/domain';
import type { Dice } from './dice.ts';

const firstNames =
  'Ada Bo Chloé Dmitri Elif Farah Grace Hiro Ingrid João Kemal Łucja Mei Noor Öykü Priya Quentin Rosa Søren Tomáš Uma Vera Wanjiru Ximena Yusuf Zoë'.split(
    ' ',
  );
const lastNames =
  'Abe Brandt Castillo Dvořák Eriksson Fischer García Haddad Ivanova Jansen Kowalski Lindqvist Müller Nakamura Okafor Petrović Quispe Rossi Şahin Takahashi Ueda Varga Williams Xu Yılmaz Žižek'.split(
    ' ',
  );
const companies = [
  'Tonwire',
  'Nordlicht Energie',
  'Harbour & Sons',
  'Paketa',
  'Vela Health',
  'Ånge Rail',
  null,
] as const;

/** The first of `count` are admins; of the others 3 of 100 wait, 3 are rejected, and 2 of those approved are suspended. */
export const makePeople = (dice: Dice, count: number, now: Instant): readonly Profile[] =>
  Array.from({ length: count }, (_, at) => onePerson(dice, at, now - Math.floor(((count - at) / count) * 700 * dayMs)));

const adminCount = 5;

const onePerson = (dice: Dice, at: number, createdAt: Instant): Profile => {
  const [first, last] = [dice.one(firstNames), dice.one(lastNames)];
  const company = dice.one(companies);
  const roll = at < adminCount ? 1 : dice.fraction();
  const approvedAt = createdAt + 3_600_000;
  const facts = {
    id: dice.uuid<ProfileId>(),
    email: `${plain(first)}.${plain(last)}.${at}@${plain(company ?? 'example')}.example`,
    fullName: `${first} ${last}`,
    companyName: company,
    uid: `big-catalog-${at}`,
    issuer: null,
    tier: null,
    suspendedAt: roll >= 0.06 && roll < 0.08 ? approvedAt + dayMs : null,
    createdAt,
    updatedAt: approvedAt,
  };
  if (roll < 0.06) {
    const status = roll < 0.03 ? 'pending' : 'rejected';
    return { ...facts, role: 'client', status, clientId: null, approvedAt: null };
  }
  const role = at < adminCount ? 'admin' : 'client';
  return { ...facts, role, status: 'approved', clientId: dice.uuid<ClientId>(), approvedAt };
};

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
