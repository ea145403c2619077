import { emailMax, parseId, PorticoError, type AdminAuthority, type ProfileId, type UseCases } from '@portico/domain';
import { profileIdOf } from './wire.ts';

/** The id of the profile with this e-mail, by which a list is filtered; throws `user_not_found`. */
export const registeredAs = async (
  { findProfileByEmail }: Pick<UseCases, 'findProfileByEmail'>,
  authority: AdminAuthority,
  email: string,
): Promise<ProfileId> => {
  const profile = await findProfileByEmail(authority, email);
  if (!profile) throw new PorticoError('user_not_found');
  return profile.id;
};

/** The id of the profile that a text names, by its id or its e-mail; one that no profile has if there is none. */
export const profileOf = async (
  { findProfileByEmail }: Pick<UseCases, 'findProfileByEmail'>,
  authority: AdminAuthority,
  text: string | undefined,
): Promise<ProfileId> => {
  const isEmail = text !== undefined && text.includes('@') && text.length <= emailMax && !text.includes('\0');
  if (!isEmail || parseId(text)) return profileIdOf(text);
  return (await findProfileByEmail(authority, text))?.id ?? profileIdOf(undefined);
};
