import type { ApiClient, Credential } from '../src/api-client.ts';

/** An approved client; the key is its API key pair. */
export interface ApprovedClient {
  readonly id: string;
  readonly key: { readonly clientId: string; readonly secret: string };
}

/** Registers `uid@example.com` and returns the profile's id. */
export const register = async (api: ApiClient, uid: string): Promise<string> => {
  const person = { firebase_uid: uid, email: `${uid}@example.com`, full_name: uid };
  return (await api.request<{ id: string }>(null, 'POST', '/api/profiles/register', person)).id;
};

export const approve = async (api: ApiClient, admin: Credential, id: string): Promise<ApprovedClient> => {
  const path = `/api/profiles/${id}/approve`;
  const credentials = await api.request<{ client_id: string; client_secret: string }>(admin, 'POST', path);
  return { id, key: { clientId: credentials.client_id, secret: credentials.client_secret } };
};

/** Registers and approves a client, who also gets the key by mail. */
export const addClient = async (api: ApiClient, admin: Credential, uid: string): Promise<ApprovedClient> =>
  approve(api, admin, await register(api, uid));

/** Creates a collection and returns its id. */
export const addCollection = async (api: ApiClient, admin: Credential, fields: object): Promise<string> =>
  (await api.request<{ id: string }>(admin, 'POST', '/api/collections/', fields)).id;
