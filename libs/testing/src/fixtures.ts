import { personAuthorityOf, type CollectionId, type Credential, type Profile } from '@portico/domain';
import type { Harness } from './harness.ts';
import { testIssuer } from './test-issuer.ts';

/** Creates the first admin, and functions that create profiles and collections in the required states. */
export const createFixtures = async ({ useCases, documents, tokens }: Harness) => {
  const admin = await useCases.claimFirstAdmin({ uid: 'root', email: 'root@example.com', issuer: testIssuer });
  if (!admin) throw new Error('There is already an admin');
  const authority = personAuthorityOf({ profile: admin, via: 'token', deadline: null });
  const admit = async (credential: Credential, target: CollectionId | null) => {
    const { principal } = await useCases.admit({
      credential,
      auth: 'token or key',
      target: target && { id: target, detail: 'full' },
      sender: { address: '192.0.2.1' },
      deadline: null,
    });
    return principal;
  };
  const register = (uid: string): Promise<Profile> =>
    useCases.registerProfile({ uid, email: `${uid}@example.com`, fullName: uid, companyName: null }, null, null);
  return {
    admin,
    authority,
    register,
    /** Creates an approved client. Returns the client with its key. */
    approveClient: async (uid: string) => {
      const { id } = await register(uid);
      const { clientId, secret } = await useCases.approveProfile(authority, id);
      return { id, clientId, secret, key: { kind: 'key', clientId, secret } as const };
    },
    /** Creates a collection with this name. */
    createCollection: async (name: string): Promise<CollectionId> => {
      const document = { openapi: '3.0.3', info: { title: name, version: '1' }, paths: {} };
      const readDocument = await documents.readFile(Buffer.from(JSON.stringify(document)));
      const input = { name, description: '', authentication: null };
      return (await useCases.createCollection(authority, admin.id, { ...input, document: readDocument, strict: false }))
        .id;
    },
    admitByKey: admit,
    admitByToken: (uid: string, target: CollectionId | null = null) =>
      admit({ kind: 'token', token: tokens.mint({ uid, email: `${uid}@example.com` }) }, target),
  };
};
