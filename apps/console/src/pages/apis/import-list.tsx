import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { toSinglePage, DataTable, type Column } from '../../parts/data-table.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { messageOf } from '../../parts/error-note.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';
import styles from './apis.module.css';
import { describeBrokenFile } from './documents/describe-broken-file.ts';
import { nameOf } from './documents/document-name.ts';
import type { Notice } from './documents/yaml-to-json.ts';
import type { Entry, Plan, State } from './import-entry.ts';

const text = words.apis.import;

/** The files with their outcomes. */
export const ImportList = ({ entries }: { readonly entries: readonly Entry[] }) => (
  <DataTable
    label={text.files}
    columns={columns}
    pages={toSinglePage({ data: entries, error: null, isPending: false, refetch: () => undefined })}
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
  const knownApi = state.kind === 'done' ? state.result : state.kind === 'planned' ? state.plan : null;
  const name = knownApi?.name ?? (document ? nameOf(document.title, path) : '');
  if (!knownApi || knownApi.id === null) return <span>{name}</span>;
  return (
    <Anchor component={Link} to={`/apis/${knownApi.id}`}>
      {name}
    </Anchor>
  );
};

const changedOutcomes = ['created', 'updated'];

const Outcome = ({ state }: { readonly state: State }) => {
  if (state.kind === 'done') {
    const { outcome } = state.result;
    return <StatusBadge kind={changedOutcomes.includes(outcome) ? 'good' : 'quiet'}>{text.done[outcome]}</StatusBadge>;
  }
  if (state.kind === 'planned') {
    const { outcome } = state.plan;
    return (
      <StatusBadge kind={changedOutcomes.includes(outcome) ? 'special' : 'quiet'}>{text.planned[outcome]}</StatusBadge>
    );
  }
  const isBad = ['broken', 'duplicate', 'tooLarge', 'failed'].includes(state.kind);
  const kind = isBad ? 'bad' : ['skipped', 'cancelled'].includes(state.kind) ? 'quiet' : 'waiting';
  return <StatusBadge kind={kind}>{text.states[state.kind]}</StatusBadge>;
};

const Details = ({ entry: { state, file, document } }: { readonly entry: Entry }) => {
  const notices = document?.notices ?? [];
  switch (state.kind) {
    case 'planned':
      return (
        <>
          <Changes plan={state.plan} />
          <Conversion result={state.plan} />
          {state.nameExists ? <span>{text.sameName(text.matchModes.title)}</span> : null}
          <Warnings result={state.plan} notices={notices} />
        </>
      );
    case 'done':
      return (
        <>
          <Conversion result={state.result} />
          <Warnings result={state.result} notices={notices} />
        </>
      );
    case 'rateLimited':
      return text.rateLimitedFor(state.seconds);
    case 'skipped':
      return text.skipReason;
    case 'broken':
      return describeBrokenFile(state.read);
    case 'duplicate':
      return text.duplicate(state.otherPath);
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
  const {
    name,
    description,
    document,
    operations_added: addedOperations,
    operations_removed: removedOperations,
  } = changes;
  if (outcome === 'created') return <span>{text.operations(addedOperations.total)}</span>;
  const changeTexts = [
    ...(name ? [text.nameChange(name.from, name.to)] : []),
    ...(addedOperations.total > 0 ? [text.added(addedOperations.total)] : []),
    ...(removedOperations.total > 0 ? [text.removed(removedOperations.total)] : []),
    ...(description ? [text.descriptionChange] : []),
    ...(document && addedOperations.total + removedOperations.total === 0 ? [text.documentChange] : []),
  ];
  return changeTexts.length > 0 ? <span>{changeTexts.join(', ')}</span> : null;
};

const Conversion = ({ result: { converted_from: version } }: { readonly result: Pick<Plan, 'converted_from'> }) =>
  version === null ? null : <span>{text.converted(version)}</span>;

interface WarningsProps {
  readonly result: Pick<Plan, 'name' | 'warnings'>;
  /** The values that were lost before the document was sent. */
  readonly notices: readonly Notice[];
}

const Warnings = ({ result, notices }: WarningsProps) => {
  const [open, setOpen] = useState(false);
  const { name } = result;
  const warnings = {
    total: notices.length + (result.warnings?.total ?? 0),
    first: [...notices, ...(result.warnings?.first ?? [])],
  };
  if (warnings.total === 0) return null;
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
              <code>{pointer || text.entireDocument}</code> {message}
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
