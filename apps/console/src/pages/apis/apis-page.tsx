import { Anchor, Button, Group } from '@mantine/core';
import { Upload } from 'lucide-react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import type { CallResult } from '../../api/call.ts';
import { usePages } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { createApiLabeler } from '../../parts/api-label.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Toolbar } from '../../parts/toolbar.tsx';
import { words } from '../../words/words.ts';
import styles from './apis.module.css';
import { DropAnywhere } from './drop-zone.tsx';
import { importQueue, type DroppedFile } from './import-queue.ts';

const text = words.apis;

type Api = CallResult<'GET /api/collections/'>[number];

/** Lists all APIs in the catalog. Documents dropped here are imported. */
export const Component = () => {
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const q = search.get('q') ?? '';
  const pages = usePages(
    'GET /api/collections/',
    { query: { q, include: ['discoverable', 'usage'], include_total: true } },
    { keepPrevious: true },
  );
  const addFiles = (files: readonly DroppedFile[]): void => {
    importQueue.add(files);
    void navigate('/apis/import');
  };
  return (
    <Page
      title={text.title}
      actions={
        <Group>
          {pages.total === null ? null : <span>{text.count(pages.total)}</span>}
          <Button component={Link} to="/apis/import" leftSection={<Upload size={16} aria-hidden />}>
            {text.importButton}
          </Button>
        </Group>
      }
    >
      <DropAnywhere addFiles={addFiles} />
      <Toolbar>
        <SearchField
          label={text.filter}
          value={q}
          change={(value) => setSearch(value ? { q: value } : {}, { replace: true })}
        />
      </Toolbar>
      <DataTable
        label={text.title}
        columns={columnsOf(createApiLabeler(pages.rows))}
        pages={pages}
        keyOf={({ id }) => id}
        empty={q ? text.noneFound : text.none}
      />
    </Page>
  );
};

const columnsOf = (labelOf: (api: Api) => string): readonly Column<Api>[] => [
  {
    header: text.name,
    cell: (api) => (
      <Anchor component={Link} to={`/apis/${api.id}`} className={styles.name}>
        {labelOf(api)}
      </Anchor>
    ),
  },
  { header: text.description, cell: ({ description }) => <span className={styles.short}>{description}</span> },
  {
    header: text.catalog,
    cell: ({ discoverable }) => (
      <StatusBadge kind={discoverable ? 'good' : 'quiet'}>{discoverable ? text.discoverable : text.hidden}</StatusBadge>
    ),
  },
  { header: text.lastUsed, cell: ({ last_used_at: at }) => <Moment at={at} /> },
  { header: text.changed, cell: ({ updated_at: at }) => <Moment at={at} /> },
];
