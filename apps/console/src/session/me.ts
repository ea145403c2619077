import { createContext, useContext } from 'react';
import type { CallResult } from '../api/call.ts';

/** The profile of the signed-in person, who is approved and not suspended. */
export type Me = CallResult<'GET /api/profiles/me'>;

export const MeContext = createContext<Me | null>(null);

export const useMe = (): Me => {
  const me = useContext(MeContext);
  if (!me) throw new Error('This component is used outside of a signed-in session');
  return me;
};
