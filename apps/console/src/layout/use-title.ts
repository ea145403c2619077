import { useEffect } from 'react';
import { words } from '../words/words.ts';

/** Names the browser's tab. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · ${words.frame.brand}`;
  }, [title]);
};
