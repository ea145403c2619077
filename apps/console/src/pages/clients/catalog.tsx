import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { CallResult } from '../../api/call.ts';
import { usePages } from '../../api/use-call.ts';
import { createApiLabeler } from '../../parts/api-label.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { lineOf } from '../../parts/markdown-of.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Toolbar } from '../../parts/toolbar.tsx';
import { words } from '../../words/words.ts';
import { AskDialog } from './ask-dialog.tsx';
import styles from './clients.module.css';

const text = words.clients.accessRequests;

type CatalogEntry = CallResult<'GET /api/catalog'>[number];

/** All APIs that the client may use or ask for. */
export const Catalog = () => {
  const [search, setSearch] = useSearchParams();
  const q = search.get('q') ?? '';
  const pages = usePages('GET /api/catalog', { query: { q } }, { keepPrevious: true });
  const [dialogEntry, setDialogEntry] = useState<CatalogEntry | null>(null);
  return (
    <>
      <Toolbar>
        <SearchField
          label={text.filter}
          value={q}
          change={(value) => setSearch(value ? { q: value } : {}, { replace: true })}
        />
      </Toolbar>
      <DataTable
        label={text.views.catalog}
        columns={columnsOf(createApiLabeler(pages.rows), setDialogEntry)}
        pages={pages}
        keyOf={({ id }) => id}
        empty={q ? text.nothingMatches : text.empty}
      />
      {dialogEntry ? (
        <AskDialog id={dialogEntry.id} name={dialogEntry.name} close={() => setDialogEntry(null)} />
      ) : null}
    </>
  );
};

const kinds = { granted: 'good', requested: 'waiting', none: 'quiet' } as const;

const columnsOf = (
  labelOf: (entry: CatalogEntry) => string,
  ask: (entry: CatalogEntry) => void,
): readonly Column<CatalogEntry>[] => [
  {
    header: text.name,
    cell: (entry) =>
      entry.access === 'granted' ? (
        <Anchor component={Link} to={`/apis/${entry.id}`} className={styles.name}>
          {labelOf(entry)}
        </Anchor>
      ) : (
        <span className={styles.name}>{labelOf(entry)}</span>
      ),
  },
  {
    header: text.description,
    cell: ({ description }) => <span className={styles.line}>{lineOf(description)}</span>,
  },
  {
    header: text.access,
    cell: ({ access }) => <StatusBadge kind={kinds[access]}>{text.states[access]}</StatusBadge>,
  },
  {
    header: text.actions,
    headerHidden: true,
    cell: (entry) =>
      entry.access === 'none' ? (
        <Button size="xs" aria-label={text.askFor(labelOf(entry))} onClick={() => ask(entry)}>
          {text.askButton}
        </Button>
      ) : null,
  },
];
