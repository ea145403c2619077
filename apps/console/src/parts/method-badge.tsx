import styles from './method-badge.module.css';

/** The method of an operation. The colour only helps to scan a list. */
export const MethodBadge = ({ method }: { readonly method: string }) => (
  <span className={styles.method} data-method={method}>
    {method}
  </span>
);
