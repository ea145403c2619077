import { expiryOf } from '../sign-in/tokens.ts';
import type { Terminal } from '../terminal.ts';
import type { Connection } from '../tool.ts';

/** Shows who the credential identifies at this server, and when it expires. */
export const showIdentity = async ({ address, api, ...server }: Connection, terminal: Terminal): Promise<void> => {
  const credential = await server.getCredential();
  if (credential.token.startsWith(serviceAccountPrefix)) {
    // A service account has no profile, but reading a list shows that its token is accepted.
    await api.call('GET /api/collections/', { query: { limit: 1 }, scope: 'catalog:read' });
    terminal.printResult({ server: address, service_account: true }, [
      `${address}: a service account, from ${credential.source}.`,
    ]);
    return;
  }
  const profile = await api.call('GET /api/profiles/me', { scope: null });
  const { email, role, registration_status: status } = profile;
  const until = new Date(expiryOf(credential.token)).toISOString();
  terminal.printResult({ server: address, email, role, registration_status: status, expires_at: until }, [
    `${address}: ${email}, ${role}${status === 'approved' ? '' : ` (${status})`}, from ${credential.source}, until ${until}.`,
  ]);
};

const serviceAccountPrefix = 'portico_sa_';
