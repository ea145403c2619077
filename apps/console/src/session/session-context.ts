import { createContext, useContext } from 'react';
import type { Config } from './ways.ts';

/** What every page may know of the sign-in. */
export interface Session {
  readonly config: Config;
  readonly signOut: () => void;
}

export const SessionContext = createContext<Session | null>(null);

export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (!session) throw new Error('There is no session around this part');
  return session;
};
