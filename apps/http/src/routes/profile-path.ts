import { emailMax, parseId, PorticoError, type AdminAuthority, type ProfileId, type UseCases } from '@portico/domain';
import { profileIdOf } from './wire.ts';

/** Returns the id of the profile with this email address, to filter a list; throws `user_not_found`. */
export const findProfileIdByEmail = async (
  { findProfileByEmail }: Pick<UseCases, 'findProfileByEmail'>,
  authority: AdminAuthority,
  email: string,
): Promise<ProfileId> => {
  const profile = await findProfileByEmail(authority, email);
  if (!profile) throw new PorticoError('user_not_found');
  return profile.id;
};

/** Resolves an id or email address to the id of a profile. If there is none, returns an id that no profile has. */
export const resolveProfileId = async (
  { findProfileByEmail }: Pick<UseCases, 'findProfileByEmail'>,
  authority: AdminAuthority,
  text: string | undefined,
): Promise<ProfileId> => {
  const isEmail = text !== undefined && text.includes('@') && text.length <= emailMax && !text.includes('\0');
  if (!isEmail || parseId(text)) return profileIdOf(text);
  return (await findProfileByEmail(authority, text))?.id ?? profileIdOf(undefined);
};
