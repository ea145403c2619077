import { useEffect } from 'react';
import { words } from '../words/words.ts';

/** Sets the title of the browser tab. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · ${words.frame.brand}`;
  }, [title]);
};
