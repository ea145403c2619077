import {
  toClientPair,
  type CollectionId,
  type Instant,
  type Ports,
  type ProfileId,
  type ServiceAccountId,
} from '@portico/domain';

/** An expiry before any test run. */
const pastInstant: Instant = Date.UTC(2020, 0, 1);

/** Expires a grant directly in the store. */
export const expireGrantIn =
  ({ grants }: Pick<Ports, 'grants'>) =>
  async (profile: string, collection: string): Promise<void> => {
    const pair = toClientPair(profile as ProfileId, collection as CollectionId);
    await grants.update([pair], ([state]) => {
      if (!state?.grant) throw new Error('There is no grant to expire');
      return { put: [{ ...pair, ...state.grant, expiresAt: pastInstant }], deadline: null };
    });
  };

/** Expires a key directly in the store. */
export const expireKeyIn =
  ({ profiles }: Pick<Ports, 'profiles'>) =>
  async (profile: string): Promise<void> => {
    await profiles.update(profile as ProfileId, (state) => {
      if (!state.key) throw new Error('There is no key to expire');
      return { profile: state.profile, key: { ...state.key, expiresAt: pastInstant }, deadline: null };
    });
  };

/** Expires a service account directly in the store. */
export const expireAccountIn =
  ({ serviceAccounts }: Pick<Ports, 'serviceAccounts'>) =>
  async (id: string): Promise<void> => {
    await serviceAccounts.update(id as ServiceAccountId, ({ account, key }) => ({
      account: { ...account, expiresAt: pastInstant },
      key,
      deadline: null,
    }));
  };
