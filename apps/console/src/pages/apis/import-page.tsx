import { Anchor, Button, SegmentedControl, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { invalidateReads } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { words } from '../../words/words.ts';
import styles from './apis.module.css';
import { DropZone } from './drop-zone.tsx';
import { hasFailed, isToImport, isInProgress, sourceMax, type Entry, type Identity } from './import-entry.ts';
import { ImportList } from './import-list.tsx';
import { importQueue, type QueueState } from './import-queue.ts';

const text = words.apis.import;

/** Imports documents: first shows the changes that each would make, then the outcomes. */
export const Component = () => {
  const standing = useSyncExternalStore(importQueue.subscribe, importQueue.state);
  return (
    <Page
      title={text.title}
      actions={
        <Anchor component={Link} to="/apis">
          {text.back}
        </Anchor>
      }
    >
      <DropZone take={(dropped) => importQueue.add(dropped)} />
      <Options identity={standing.identity} disabled={standing.work !== null} />
      {standing.entries.length > 0 ? (
        <section aria-labelledby="files">
          <h2 id="files">{text.files}</h2>
          <Progress {...standing} />
          <ImportList entries={standing.work ? standing.entries : sorted(standing.entries)} />
        </section>
      ) : null}
    </Page>
  );
};

/** Sorts the entries once the work is done: those that need attention first, unchanged ones last. */
const sorted = (entries: readonly Entry[]): readonly Entry[] =>
  entries.toSorted((one, other) => rankOf(one) - rankOf(other));

const rankOf = (entry: Entry): number => {
  if (hasFailed(entry)) return 0;
  if (isToImport(entry)) return 1;
  const { state } = entry;
  if (state.kind === 'done' && state.imported.outcome !== 'unchanged') return 1;
  return state.kind === 'skipped' ? 3 : 2;
};

const Options = ({ identity, disabled }: { readonly identity: Identity; readonly disabled: boolean }) => (
  <details className={styles.options}>
    <summary>{text.options}</summary>
    <div className={styles.fields}>
      <div>
        <SegmentedControl
          aria-label={text.by}
          value={identity.by}
          disabled={disabled}
          onChange={(by) => importQueue.identify({ ...identity, by: by as Identity['by'] })}
          data={Object.entries(text.ways).map(([value, label]) => ({ value, label }))}
        />
        <p className={styles.quiet}>{identity.by === 'path' ? text.byPath : text.byTitle}</p>
      </div>
      {identity.by === 'path' ? (
        <TextInput
          label={text.source}
          description={text.sourceHint}
          defaultValue={identity.source}
          maxLength={sourceMax}
          disabled={disabled}
          onBlur={({ currentTarget: { value } }) => {
            if (value.trim() !== identity.source) importQueue.identify({ ...identity, source: value.trim() });
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
  const toImport = entries.filter(isToImport).length;
  const failed = entries.filter(hasFailed).length;
  return (
    <div className={styles.status}>
      {work ? <ProgressBar entries={entries} work={work} /> : <p role="status">{summaryOf(entries)}</p>}
      {work ? (
        <Button variant="default" onClick={() => importQueue.cancel()}>
          {text.cancel}
        </Button>
      ) : (
        <>
          {toImport > 0 ? <Button onClick={start}>{text.start(toImport)}</Button> : null}
          {failed > 0 ? (
            <Button variant="default" onClick={() => importQueue.retry()}>
              {text.retry(failed)}
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
  const all = entries.filter(({ number }) => work.numbers.has(number));
  const done = all.filter((entry) => !isInProgress(entry) && !(work.kind === 'importing' && isToImport(entry)));
  const label =
    work.kind === 'comparing'
      ? text.comparing(done.length, all.length)
      : text.importing(done.length, all.length, bytesOf(done), bytesOf(all));
  return (
    <>
      <p role="status">{label}</p>
      <progress aria-label={label} max={all.length} value={done.length} />
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
  const all = Object.values(names).map((name) => [name, counts[name] ?? 0] as const);
  return text.summary(Object.fromEntries(all));
};

const resultOf = ({ state }: Entry): keyof typeof text.summaryStates => {
  if (state.kind === 'done') return state.imported.outcome;
  if (state.kind === 'skipped' || state.kind === 'cancelled') return state.kind;
  if (state.kind !== 'planned') return 'refused';
  return ({ created: 'wouldCreate', updated: 'wouldUpdate', unchanged: 'unchanged' } as const)[state.plan.outcome];
};
