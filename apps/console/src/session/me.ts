import { createContext, useContext } from 'react';
import type { Answered } from '../api/call.ts';

/** The own profile of who is signed in, approved and let in. */
export type Me = Answered<'GET /api/profiles/me'>;

export const MeContext = createContext<Me | null>(null);

export const useMe = (): Me => {
  const me = useContext(MeContext);
  if (!me) throw new Error('Nobody is signed in around this part');
  return me;
};
