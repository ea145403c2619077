import { emailMax, parseId, type AdminAuthority, type ProfileId, type UseCases } from '@portico/domain';
import { profileIdOf } from './wire.ts';

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
