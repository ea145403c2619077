import type { ReactNode } from 'react';
import styles from './toolbar.module.css';

/** The row above a list: first its filter, then choices and actions. */
export const Toolbar = ({ children }: { readonly children: ReactNode }) => <div className={styles.bar}>{children}</div>;
