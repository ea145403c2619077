import type { ReactNode } from 'react';
import styles from './frame.module.css';

/** A page without menu: signing in, and what somebody is told who may not go on. */
export const Alone = ({ children }: { readonly children: ReactNode }) => (
  <main className={styles.alone}>
    <div className={styles.card}>{children}</div>
  </main>
);
