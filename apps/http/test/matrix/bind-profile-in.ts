import type { Ports, ProfileId } from '@portico/domain';

/** Binds a profile directly in the store. */
export const bindProfileIn =
  ({ profiles }: Pick<Ports, 'profiles'>, issuer: string) =>
  async (id: string): Promise<void> => {
    await profiles.update(id as ProfileId, ({ profile, key }) => ({
      profile: { ...profile, issuer },
      key,
      deadline: null,
    }));
  };
