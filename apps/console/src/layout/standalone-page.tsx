import type { ReactNode } from 'react';
import styles from './frame.module.css';

/** A page without the menu: for signing in, and for people who cannot continue. */
export const StandalonePage = ({ children }: { readonly children: ReactNode }) => (
  <main className={styles.standalone}>
    <div className={styles.card}>{children}</div>
  </main>
);
