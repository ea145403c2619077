import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { CallResult } from '../../api/call.ts';
import { usePages } from '../../api/use-call.ts';
import { apiLabels } from '../../parts/api-label.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { lineOf } from '../../parts/markdown-of.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Toolbar } from '../../parts/toolbar.tsx';
import { words } from '../../words/words.ts';
import { AskDialog } from './ask-dialog.tsx';
import styles from './clients.module.css';

const text = words.clients.asking;

type Line = CallResult<'GET /api/catalog'>[number];

/** All APIs that the client may use or ask for. */
export const Catalog = () => {
  const [search, setSearch] = useSearchParams();
  const q = search.get('q') ?? '';
  const pages = usePages('GET /api/catalog', { query: { q } }, { keepPrevious: true });
  const [asking, setAsking] = useState<Line | null>(null);
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
        columns={columnsOf(apiLabels(pages.rows), setAsking)}
        pages={pages}
        keyOf={({ id }) => id}
        empty={q ? text.nothingMatches : text.empty}
      />
      {asking ? <AskDialog id={asking.id} name={asking.name} close={() => setAsking(null)} /> : null}
    </>
  );
};

const kinds = { granted: 'good', requested: 'waiting', none: 'quiet' } as const;

const columnsOf = (labelOf: (line: Line) => string, ask: (line: Line) => void): readonly Column<Line>[] => [
  {
    header: text.name,
    cell: (line) =>
      line.access === 'granted' ? (
        <Anchor component={Link} to={`/apis/${line.id}`} className={styles.name}>
          {labelOf(line)}
        </Anchor>
      ) : (
        <span className={styles.name}>{labelOf(line)}</span>
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
    cell: (line) =>
      line.access === 'none' ? (
        <Button size="xs" aria-label={text.askFor(labelOf(line))} onClick={() => ask(line)}>
          {text.act}
        </Button>
      ) : null,
  },
];
