import { lazy, Suspense, useState } from 'react';
import { Button } from '@mantine/core';
import { words } from '../../words/words.ts';
import styles from './api.module.css';
import { lineOf } from '../../parts/markdown-of.ts';

const text = words.api;

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));

const shortMax = 500;

/** A description, shown as plain text until the formatter has loaded. A long one is collapsed at first. */
export const Description = ({ of, long = false }: { readonly of: string; readonly long?: boolean }) => {
  const [open, setOpen] = useState(false);
  const folds = long && of.length > shortMax;
  return (
    <>
      <div className={styles.description} data-folded={folds && !open ? '' : undefined}>
        <Suspense fallback={<p>{lineOf(of)}</p>}>
          <Markdown text={of} />
        </Suspense>
      </div>
      {folds ? (
        <Button variant="subtle" size="compact-sm" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? text.showLess : text.showAll}
        </Button>
      ) : null}
    </>
  );
};
