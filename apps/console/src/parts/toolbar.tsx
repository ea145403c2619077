import type { ReactNode } from 'react';
import styles from './toolbar.module.css';

/** The line above a list: its filter first, then what can be chosen and done. */
export const Toolbar = ({ children }: { readonly children: ReactNode }) => <div className={styles.bar}>{children}</div>;
