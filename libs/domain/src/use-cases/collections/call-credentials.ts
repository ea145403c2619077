import type { Principal } from '../../access/principal.ts';
import type { Collection } from '../../collections/collection.ts';
import type { Instant } from '../../instant.ts';
import type { Ports } from '../../ports/index.ts';
import { type CredentialContent } from './credentials.ts';

export interface CallCredential {
  readonly id: string;
  readonly scheme: string | null;
  readonly content: CredentialContent;
  readonly origins: readonly string[];
  readonly updatedAt: Instant | null;
}
export interface CallCredentials {
  readonly schemes: readonly string[];
  readonly open: (scheme: string | null) => CallCredential | null;
}
export const readCallCredentials =
  (_ports: Pick<Ports, 'credentials'>) =>
  async (_principal: Principal<Collection>): Promise<CallCredentials> => ({ schemes: [], open: () => null });
