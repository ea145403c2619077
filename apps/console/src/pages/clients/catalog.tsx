import { Anchor, Button, NativeSelect, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { Answered } from '../../api/call.ts';
import { useChange, usePages } from '../../api/use-call.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { fieldOf } from '../../parts/form-fields.ts';
import { lineOf } from '../../parts/markdown-of.ts';
import { notify } from '../../parts/notify.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Toolbar } from '../../parts/toolbar.tsx';
import { words } from '../../words/words.ts';
import styles from './clients.module.css';

const text = words.clients.asking;

type Line = Answered<'GET /api/catalog'>[number];

/** All that one may use or ask for. */
export const Catalog = () => {
  const [search, setSearch] = useSearchParams();
  const q = search.get('q') ?? '';
  const pages = usePages('GET /api/catalog', { query: { q } }, { keep: true });
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
        columns={columnsOf(setAsking)}
        pages={pages}
        keyOf={({ id }) => id}
        empty={q ? text.nothingMatches : text.empty}
      />
      {asking ? <AskDialog line={asking} close={() => setAsking(null)} /> : null}
    </>
  );
};

const kinds = { granted: 'good', requested: 'waiting', none: 'quiet' } as const;

const columnsOf = (ask: (line: Line) => void): readonly Column<Line>[] => [
  {
    header: text.name,
    cell: ({ id, name, access }) =>
      access === 'granted' ? (
        <Anchor component={Link} to={`/apis/${id}`} className={styles.name}>
          {name}
        </Anchor>
      ) : (
        <span className={styles.name}>{name}</span>
      ),
  },
  {
    header: text.description,
    cell: ({ description }) => <span className={styles.line}>{lineOf(description.slice(0, 600))}</span>,
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
        <Button size="xs" aria-label={text.askFor(line.name)} onClick={() => ask(line)}>
          {text.act}
        </Button>
      ) : null,
  },
];

const reasonMax = 1_000;

const AskDialog = ({ line, close }: { readonly line: Line; readonly close: () => void }) => {
  const ask = useChange('POST /api/access/requests', { touches: ['GET /api/catalog', 'GET /api/access/requests'] });
  const act = (fields: FormData): void => {
    const days = fieldOf(fields, 'days');
    ask.mutate(
      {
        body: {
          collection_id: line.id,
          reason: fieldOf(fields, 'reason'),
          ...(days ? { duration_days: Number(days) } : {}),
        },
      },
      {
        onSuccess: () => {
          notify(text.sent(line.name));
          close();
        },
      },
    );
  };
  return (
    <Dialog
      title={text.askFor(line.name)}
      open
      close={close}
      act={act}
      actLabel={text.send}
      busy={ask.isPending}
      error={ask.error}
    >
      <Textarea
        name="reason"
        label={text.reason}
        description={text.reasonHint}
        required
        maxLength={reasonMax}
        rows={4}
        mb="sm"
      />
      <NativeSelect
        name="days"
        label={text.duration}
        defaultValue=""
        data={Object.entries(text.durations).map(([value, label]) => ({ value, label }))}
      />
    </Dialog>
  );
};
