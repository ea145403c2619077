import { createContext, useContext } from 'react';
import type { Config } from './sign-in-methods.ts';

/** The parts of the sign-in that every page can use. */
export interface Session {
  readonly config: Config;
  readonly signOut: () => void;
}

export const SessionContext = createContext<Session | null>(null);

export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (!session) throw new Error('This component is used outside of a session');
  return session;
};
