import type { ProfileId } from '../ids.ts';
import type { Instant } from '../instant.ts';
import { isSameEmail } from './email.ts';
import type { Profile, RegistrationStatus, Role } from './profile.ts';
import { isSuspended } from './suspension-machine.ts';

/** The conditions that profiles must meet; null matches any value. */
export interface ProfileFilter {
  readonly role: Role | null;
  readonly status: RegistrationStatus | null;
  readonly suspended: boolean | null;
  /** Part of the email or the full name, ignoring case. */
  readonly text: string | null;
}

export const allProfiles: ProfileFilter = { role: null, status: null, suspended: null, text: null };

export interface ProfilePage {
  /** The order by creation time, then by id. */
  readonly order: 'oldest' | 'newest';
  /** The maximum number of profiles; null for all. */
  readonly limit: number | null;
  /** The last profile of the previous page; null for the first page. */
  readonly after: { readonly createdAt: Instant; readonly id: ProfileId } | null;
}

export const oldestFirst: ProfilePage = { order: 'oldest', limit: null, after: null };

export const matchesFilter = ({ role, status, suspended, text }: ProfileFilter, profile: Profile): boolean =>
  (role === null || profile.role === role) &&
  (status === null || profile.status === status) &&
  (suspended === null || isSuspended(profile) === suspended) &&
  (text === null || matchesProfileText(text, profile));

/**
 * Whether the email or the full name contains the text, ignoring case, or the text is an email address of the same
 * mailbox.
 */
export const matchesProfileText = (text: string, { email, fullName }: Pick<Profile, 'email' | 'fullName'>): boolean =>
  [email, fullName].some((name) => foldCase(name).includes(foldCase(text))) || isSameEmail(text, email);

/** Returns a text folded for case-insensitive comparison. */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase();
