import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

/** Where a provider keeps sessions, codes and grants while the tests run; nothing expires. */
export const signInsInMemory = (): AdapterFactory => {
  const kept = new Map<string, AdapterPayload>();
  return (kind): Adapter => {
    const keyOf = (id: string) => `${kind} ${id}`;
    return {
      upsert: async (id, payload) => void kept.set(keyOf(id), payload),
      find: async (id) => kept.get(keyOf(id)),
      findByUid: async (uid) =>
        [...kept].find(([key, payload]) => key === keyOf(payload.jti ?? '') && payload.uid === uid)?.[1],
      findByUserCode: async (userCode) =>
        [...kept].find(([key, payload]) => key.startsWith(`${kind} `) && payload.userCode === userCode)?.[1],
      consume: async (id) => {
        const payload = kept.get(keyOf(id));
        if (payload) kept.set(keyOf(id), { ...payload, consumed: Math.floor(Date.now() / 1_000) });
      },
      destroy: async (id) => void kept.delete(keyOf(id)),
      revokeByGrantId: async (grantId) => {
        for (const [key, payload] of kept) if (payload.grantId === grantId) kept.delete(key);
      },
    };
  };
};
