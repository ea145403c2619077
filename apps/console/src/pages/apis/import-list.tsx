import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { singlePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { messageOf } from '../../parts/error-note.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';
import styles from './apis.module.css';
import { brokenSentence } from './documents/broken-sentence.ts';
import { nameOf } from './documents/document-name.ts';
import type { Entry, Plan, State } from './import-entry.ts';

const text = words.apis.import;

/** The files with their outcomes. */
export const ImportList = ({ entries }: { readonly entries: readonly Entry[] }) => (
  <DataTable
    label={text.files}
    columns={columns}
    pages={singlePage({ data: entries, error: null, isPending: false, refetch: () => undefined })}
    keyOf={({ number }) => String(number)}
    empty={text.nothing}
  />
);

const columns: readonly Column<Entry>[] = [
  { header: text.file, cell: ({ path }) => <span className={styles.path}>{path}</span> },
  { header: text.api, cell: (entry) => <ApiName entry={entry} /> },
  { header: text.outcome, cell: ({ state }) => <Outcome state={state} /> },
  {
    header: text.details,
    cell: (entry) => (
      <div className={styles.details}>
        <Details entry={entry} />
      </div>
    ),
  },
];

const ApiName = ({ entry: { state, document, path } }: { readonly entry: Entry }) => {
  const known = state.kind === 'done' ? state.imported : state.kind === 'planned' ? state.plan : null;
  const name = known?.name ?? (document ? nameOf(document.title, path) : '');
  if (!known || known.id === null) return <span>{name}</span>;
  return (
    <Anchor component={Link} to={`/apis/${known.id}`}>
      {name}
    </Anchor>
  );
};

const good = ['created', 'updated'];

const Outcome = ({ state }: { readonly state: State }) => {
  if (state.kind === 'done') {
    const { outcome } = state.imported;
    return <StatusBadge kind={good.includes(outcome) ? 'good' : 'quiet'}>{text.done[outcome]}</StatusBadge>;
  }
  if (state.kind === 'planned') {
    const { outcome } = state.plan;
    return <StatusBadge kind={good.includes(outcome) ? 'special' : 'quiet'}>{text.planned[outcome]}</StatusBadge>;
  }
  const isBad = ['broken', 'twice', 'tooLarge', 'failed'].includes(state.kind);
  const kind = isBad ? 'bad' : ['skipped', 'cancelled'].includes(state.kind) ? 'quiet' : 'waiting';
  return <StatusBadge kind={kind}>{text.states[state.kind]}</StatusBadge>;
};

const Details = ({ entry: { state, file } }: { readonly entry: Entry }) => {
  switch (state.kind) {
    case 'planned':
      return (
        <>
          <Changes plan={state.plan} />
          {state.nameExists ? <span>{text.sameName(text.ways.title)}</span> : null}
          <Warnings of={state.plan} />
        </>
      );
    case 'done':
      return <Warnings of={state.imported} />;
    case 'held':
      return text.heldFor(state.seconds);
    case 'skipped':
      return text.skippedBecause[state.because];
    case 'broken':
      return brokenSentence(state.read);
    case 'twice':
      return text.twice(state.other);
    case 'tooLarge':
      return text.tooLarge(file.size, state.bytesMax);
    case 'failed':
      return messageOf(state.error);
    case 'cancelled':
      return text.cancelledHint;
    default:
      return null;
  }
};

const Changes = ({ plan: { outcome, changes } }: { readonly plan: Plan }) => {
  const { name, description, document, operations_added: added, operations_removed: removed } = changes;
  if (outcome === 'created') return <span>{text.operations(added.total)}</span>;
  const changeTexts = [
    ...(name ? [text.nameChange(name.from, name.to)] : []),
    ...(added.total > 0 ? [text.added(added.total)] : []),
    ...(removed.total > 0 ? [text.removed(removed.total)] : []),
    ...(description ? [text.descriptionChange] : []),
    ...(document && added.total + removed.total === 0 ? [text.documentChange] : []),
  ];
  return changeTexts.length > 0 ? <span>{changeTexts.join(', ')}</span> : null;
};

const Warnings = ({ of: { name, warnings } }: { readonly of: Pick<Plan, 'name' | 'warnings'> }) => {
  const [open, setOpen] = useState(false);
  if (!warnings) return null;
  return (
    <>
      <Button variant="default" size="compact-xs" onClick={() => setOpen(true)}>
        {text.warnings(warnings.total)}
      </Button>
      <Dialog title={text.warningsFor(name)} open={open} close={() => setOpen(false)}>
        <p>{text.warningsIntro}</p>
        <ul className={styles.departures}>
          {warnings.first.map(({ pointer, message }, index) => (
            <li key={index}>
              <code>{pointer || text.wholeDocument}</code> {message}
            </li>
          ))}
        </ul>
        {warnings.total > warnings.first.length ? (
          <p>{text.moreWarnings(warnings.total - warnings.first.length)}</p>
        ) : null}
      </Dialog>
    </>
  );
};
