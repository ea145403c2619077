import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

/** Creates a store for a provider's sessions, codes and grants while the tests run. Nothing expires. */
export const createMemoryAdapter = (): AdapterFactory => {
  const payloads = new Map<string, AdapterPayload>();
  return (kind): Adapter => {
    const keyOf = (id: string) => `${kind} ${id}`;
    return {
      upsert: async (id, payload) => void payloads.set(keyOf(id), payload),
      find: async (id) => payloads.get(keyOf(id)),
      findByUid: async (uid) =>
        [...payloads].find(([key, payload]) => key === keyOf(payload.jti ?? '') && payload.uid === uid)?.[1],
      findByUserCode: async (userCode) =>
        [...payloads].find(([key, payload]) => key.startsWith(`${kind} `) && payload.userCode === userCode)?.[1],
      consume: async (id) => {
        const payload = payloads.get(keyOf(id));
        if (payload) payloads.set(keyOf(id), { ...payload, consumed: Math.floor(Date.now() / 1_000) });
      },
      destroy: async (id) => void payloads.delete(keyOf(id)),
      revokeByGrantId: async (grantId) => {
        for (const [key, payload] of payloads) if (payload.grantId === grantId) payloads.delete(key);
      },
    };
  };
};
