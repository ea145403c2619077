import type { Ports, ServiceAccountId } from '@portico/domain';

/** Makes a service account one that expired long ago, directly in the store. */
export const expireBy =
  ({ serviceAccounts }: Pick<Ports, 'serviceAccounts'>) =>
  async (id: string): Promise<void> => {
    await serviceAccounts.update(id as ServiceAccountId, ({ account, key }) => ({
      account: { ...account, expiresAt: 1 },
      key,
      deadline: null,
    }));
  };
