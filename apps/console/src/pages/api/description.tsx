import { lazy, Suspense, useState } from 'react';
import { Button } from '@mantine/core';
import { words } from '../../words/words.ts';
import styles from './api.module.css';
import { lineOf } from '../../parts/markdown-of.ts';

const text = words.api;

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));

const shortMax = 500;

/** A description, shown as plain text until the formatter has loaded. A long one is collapsed at first. */
export const Description = ({ markdown, long = false }: { readonly markdown: string; readonly long?: boolean }) => {
  const [open, setOpen] = useState(false);
  const isCollapsible = long && markdown.length > shortMax;
  return (
    <>
      <div className={styles.description} data-folded={isCollapsible && !open ? '' : undefined}>
        <Suspense fallback={<p>{lineOf(markdown)}</p>}>
          <Markdown text={markdown} />
        </Suspense>
      </div>
      {isCollapsible ? (
        <Button variant="subtle" size="compact-sm" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? text.showLess : text.showAll}
        </Button>
      ) : null}
    </>
  );
};
