import { Anchor } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import type { CallResult } from '../../api/call.ts';
import { usePages } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { createApiLabeler } from '../../parts/api-label.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { lineOf } from '../../parts/markdown-of.ts';
import { Moment } from '../../parts/moment.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Toolbar } from '../../parts/toolbar.tsx';
import { words } from '../../words/words.ts';
import styles from './clients.module.css';

const text = words.clients.mine;

type Api = CallResult<'GET /api/collections/'>[number];

/** The APIs that the client may use. */
export const Component = () => {
  const [search, setSearch] = useSearchParams();
  const q = search.get('q') ?? '';
  const pages = usePages(
    'GET /api/collections/',
    { query: { q, include: ['usage'], include_total: true } },
    { keepPrevious: true },
  );
  return (
    <Page title={words.clients.title} actions={pages.total === null ? null : <span>{text.count(pages.total)}</span>}>
      <Toolbar>
        <SearchField
          label={text.filter}
          value={q}
          change={(value) => setSearch(value ? { q: value } : {}, { replace: true })}
        />
      </Toolbar>
      <DataTable
        label={words.clients.title}
        columns={columnsOf(createApiLabeler(pages.rows))}
        pages={pages}
        keyOf={({ id }) => id}
        empty={q ? text.nothingMatches : <NoApis />}
      />
    </Page>
  );
};

const NoApis = () => (
  <>
    {text.empty}{' '}
    <Anchor component={Link} to="/ask" underline="always">
      {text.browseCatalog}
    </Anchor>
  </>
);

const columnsOf = (labelOf: (api: Api) => string): readonly Column<Api>[] => [
  {
    header: text.name,
    cell: (api) => (
      <Anchor component={Link} to={`/apis/${api.id}`} className={styles.name}>
        {labelOf(api)}
      </Anchor>
    ),
  },
  {
    header: text.description,
    cell: ({ description }) => <span className={styles.line}>{lineOf(description)}</span>,
  },
  { header: text.lastUsed, cell: ({ last_used_at: at }) => <Moment at={at} /> },
];
