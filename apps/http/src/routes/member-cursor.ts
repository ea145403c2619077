import type { GroupMember } from '@portico/domain';
import { z } from 'zod';

/** Returns the cursor after a member: opaque to the caller, which sends it back unchanged. */
export const emailCursorOf = (email: string): string => Buffer.from(email).toString('base64url');

/** Parses a cursor: the position after an email address, whether or not a member has it. */
export const emailCursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,2000}$/, { error: 'was not issued by this service' })
  .transform((cursorText): Buffer => Buffer.from(cursorText, 'base64url'));

/** Returns the members after a cursor. UTF-8 bytes sort by code point, like the list. */
export const filterMembersAfter = (members: readonly GroupMember[], cursor: Buffer | null): readonly GroupMember[] =>
  cursor ? members.filter(({ email }) => Buffer.compare(Buffer.from(email), cursor) > 0) : members;
