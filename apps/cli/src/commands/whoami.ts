import type { Server } from '../server/server.ts';
import type { ServerCredential } from '../server/credential.ts';
import { expiryOf } from '../sign-in/tokens.ts';
import type { Terminal } from '../terminal.ts';

interface OwnProfile {
  readonly email: string;
  readonly role: string;
  readonly registration_status: string;
}

/** Shows who the credential stands for at this server, and until when. */
export const whoAmI = async (server: Server, terminal: Terminal, credential: ServerCredential): Promise<void> => {
  const { address } = server;
  if (credential.token.startsWith(serviceAccountPrefix)) {
    // It has no profile that could be read, but a list that it may see shows that it is taken.
    await server.ask({ method: 'GET', path: '/api/collections/', query: { limit: '1' }, scope: 'catalog:read' });
    terminal.result({ server: address, service_account: true }, [
      `${address}: a service account, by ${credential.from}.`,
    ]);
    return;
  }
  const profile = (await server.ask({ method: 'GET', path: '/api/profiles/me', scope: 'access:read' })) as OwnProfile;
  const { email, role, registration_status: status } = profile;
  const until = new Date(expiryOf(credential.token)).toISOString();
  terminal.result({ server: address, email, role, registration_status: status, expires_at: until }, [
    `${address}: ${email}, ${role}${status === 'approved' ? '' : ` (${status})`}, by ${credential.from}, until ${until}.`,
  ]);
};

const serviceAccountPrefix = 'portico_sa_';
