import type { ReactNode } from 'react';
import styles from './frame.module.css';
import { useTitle } from './use-title.ts';

/** A console page. Shows the title as its heading and in the browser tab. */
export const Page = ({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => {
  useTitle(title);
  return (
    <>
      <div className={styles.heading}>
        <h1>{title}</h1>
        {actions}
      </div>
      {children}
    </>
  );
};
