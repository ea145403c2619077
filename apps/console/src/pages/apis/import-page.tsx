import { Anchor, Button, SegmentedControl, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { invalidateReads } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { words } from '../../words/words.ts';
import styles from './apis.module.css';
import { DropZone } from './drop-zone.tsx';
import { hasFailed, needsImport, isInProgress, sourceMax, type Entry, type Identity } from './import-entry.ts';
import { ImportList } from './import-list.tsx';
import { importQueue, type QueueState } from './import-queue.ts';

const text = words.apis.import;

/** Imports documents: first shows the changes that each would make, then the outcomes. */
export const Component = () => {
  const queueState = useSyncExternalStore(importQueue.subscribe, importQueue.state);
  return (
    <Page
      title={text.title}
      actions={
        <Anchor component={Link} to="/apis">
          {text.back}
        </Anchor>
      }
    >
      <DropZone addFiles={(files) => importQueue.add(files)} />
      <Options identity={queueState.identity} disabled={queueState.work !== null} />
      {queueState.entries.length > 0 ? (
        <section aria-labelledby="files">
          <h2 id="files">{text.files}</h2>
          <Progress {...queueState} />
          <ImportList entries={queueState.work ? queueState.entries : sortEntries(queueState.entries)} />
        </section>
      ) : null}
    </Page>
  );
};

/** Sorts the entries once the work is done: those that need attention first, unchanged ones last. */
const sortEntries = (entries: readonly Entry[]): readonly Entry[] => entries.toSorted((a, b) => rankOf(a) - rankOf(b));

const rankOf = (entry: Entry): number => {
  if (hasFailed(entry)) return 0;
  if (needsImport(entry)) return 1;
  const { state } = entry;
  if (state.kind === 'done' && state.result.outcome !== 'unchanged') return 1;
  return state.kind === 'skipped' ? 3 : 2;
};

const Options = ({ identity, disabled }: { readonly identity: Identity; readonly disabled: boolean }) => (
  <details className={styles.options}>
    <summary>{text.options}</summary>
    <div className={styles.fields}>
      <div>
        <SegmentedControl
          aria-label={text.matchBy}
          value={identity.by}
          disabled={disabled}
          onChange={(by) => importQueue.setIdentity({ ...identity, by: by as Identity['by'] })}
          data={Object.entries(text.matchModes).map(([value, label]) => ({ value, label }))}
        />
        <p className={styles.quiet}>{identity.by === 'path' ? text.pathHint : text.titleHint}</p>
      </div>
      {identity.by === 'path' ? (
        <TextInput
          label={text.source}
          description={text.sourceHint}
          defaultValue={identity.source}
          maxLength={sourceMax}
          disabled={disabled}
          onBlur={({ currentTarget: { value } }) => {
            if (value.trim() !== identity.source) importQueue.setIdentity({ ...identity, source: value.trim() });
          }}
        />
      ) : null}
    </div>
  </details>
);

/** The progress, and the next actions. */
const Progress = ({ entries, work }: QueueState) => {
  const queries = useQueryClient();
  const start = (): void => void importQueue.import().then(() => invalidateReads(queries, ['GET /api/collections/']));
  const importCount = entries.filter(needsImport).length;
  const failedCount = entries.filter(hasFailed).length;
  return (
    <div className={styles.status}>
      {work ? <ProgressBar entries={entries} work={work} /> : <p role="status">{summaryOf(entries)}</p>}
      {work ? (
        <Button variant="default" onClick={() => importQueue.cancel()}>
          {text.cancel}
        </Button>
      ) : (
        <>
          {importCount > 0 ? <Button onClick={start}>{text.start(importCount)}</Button> : null}
          {failedCount > 0 ? (
            <Button variant="default" onClick={() => importQueue.retry()}>
              {text.retry(failedCount)}
            </Button>
          ) : null}
          <Button variant="default" onClick={() => importQueue.clear()}>
            {text.clear}
          </Button>
        </>
      )}
    </div>
  );
};

const ProgressBar = ({ entries, work }: { entries: readonly Entry[]; work: NonNullable<QueueState['work']> }) => {
  const workEntries = entries.filter(({ number }) => work.numbers.has(number));
  const doneEntries = workEntries.filter(
    (entry) => !isInProgress(entry) && !(work.kind === 'importing' && needsImport(entry)),
  );
  const label =
    work.kind === 'comparing'
      ? text.comparing(doneEntries.length, workEntries.length)
      : text.importing(doneEntries.length, workEntries.length, bytesOf(doneEntries), bytesOf(workEntries));
  return (
    <>
      <p role="status">{label}</p>
      <progress aria-label={label} max={workEntries.length} value={doneEntries.length} />
    </>
  );
};

const bytesOf = (entries: readonly Entry[]): number => entries.reduce((sum, { file: { size } }) => sum + size, 0);

const summaryOf = (entries: readonly Entry[]): string => {
  const counts: Record<string, number> = {};
  const names = text.summaryStates;
  for (const entry of entries) {
    const name = names[resultOf(entry)];
    counts[name] = (counts[name] ?? 0) + 1;
  }
  const countsByName = Object.values(names).map((name) => [name, counts[name] ?? 0] as const);
  return text.summary(Object.fromEntries(countsByName));
};

const resultOf = ({ state }: Entry): keyof typeof text.summaryStates => {
  if (state.kind === 'done') return state.result.outcome;
  if (state.kind === 'skipped' || state.kind === 'cancelled') return state.kind;
  if (state.kind !== 'planned') return 'failed';
  return ({ created: 'wouldCreate', updated: 'wouldUpdate', unchanged: 'unchanged' } as const)[state.plan.outcome];
};
