import type { ReactNode } from 'react';
import styles from './people.module.css';

/** A section of a page with a heading and actions. */
export const Section = ({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => (
  <section className={styles.section} aria-label={title}>
    <header>
      <h2>{title}</h2>
      {actions}
    </header>
    {children}
  </section>
);
