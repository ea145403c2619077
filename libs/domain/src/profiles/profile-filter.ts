import type { ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import { isSameEmail } from './email.ts';
import type { Profile, RegistrationStatus, Role } from './profile.ts';
import { isSuspended } from './suspension-machine.ts';

/** Which profiles; null for any. */
export interface ProfileFilter {
  readonly role: Role | null;
  readonly status: RegistrationStatus | null;
  readonly suspended: boolean | null;
  /** Part of the e-mail or the full name, whatever the case. */
  readonly text: string | null;
}

export const everyProfile: ProfileFilter = { role: null, status: null, suspended: null, text: null };

export interface ProfilePage {
  /** By time of creation, ties by id. */
  readonly order: 'oldest' | 'newest';
  /** Null for all. */
  readonly limit: number | null;
  /** The last profile of the page before; null for the first page. */
  readonly after: { readonly createdAt: Instant; readonly id: ProfileId } | null;
}

export const wholeList: ProfilePage = { order: 'oldest', limit: null, after: null };

export const isFound = ({ role, status, suspended, text }: ProfileFilter, profile: Profile): boolean =>
  (role === null || profile.role === role) &&
  (status === null || profile.status === status) &&
  (suspended === null || isSuspended(profile) === suspended) &&
  (text === null || isNamed(text, profile));

/** Whether the e-mail or the full name contains the text, whatever the case, or the text is an e-mail of that mailbox. */
export const isNamed = (text: string, { email, fullName }: Pick<Profile, 'email' | 'fullName'>): boolean =>
  [email, fullName].some((name) => foldedName(name).includes(foldedName(text))) || isSameEmail(text, email);

/** A text without regard to case, for comparisons. */
export const foldedName = (text: string): string => text.normalize('NFC').toLowerCase();
