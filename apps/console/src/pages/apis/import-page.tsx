import { Anchor, Button, SegmentedControl, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { Link } from 'react-router';
import { touch } from '../../api/use-call.ts';
import { Page } from '../../layout/page.tsx';
import { words } from '../../words/words.ts';
import styles from './apis.module.css';
import { DropZone } from './drop-zone.tsx';
import { hasFailed, isToImport, isUnderWay, sourceMax, type Entry, type Identity } from './import-entry.ts';
import { ImportList } from './import-list.tsx';
import { importQueue, type Standing } from './import-queue.ts';

const text = words.apis.import;

/** Imports documents: says first what each would change, then what became of it. */
export const Component = () => {
  const standing = useSyncExternalStore(importQueue.subscribe, importQueue.standing);
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
          <ImportList entries={standing.work ? standing.entries : inOrder(standing.entries)} />
        </section>
      ) : null}
    </Page>
  );
};

/** Once nothing moves, what needs a look comes first, and what is as it was last. */
const inOrder = (entries: readonly Entry[]): readonly Entry[] =>
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

/** How far the work is, and what can be done next. */
const Progress = ({ entries, work }: Standing) => {
  const queries = useQueryClient();
  const start = (): void => void importQueue.import().then(() => touch(queries, ['GET /api/collections/']));
  const toImport = entries.filter(isToImport).length;
  const failed = entries.filter(hasFailed).length;
  return (
    <div className={styles.standing}>
      {work ? <UnderWay entries={entries} work={work} /> : <p role="status">{summaryOf(entries)}</p>}
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

const UnderWay = ({ entries, work }: { entries: readonly Entry[]; work: NonNullable<Standing['work']> }) => {
  const all = entries.filter(({ number }) => work.numbers.has(number));
  const done = all.filter((entry) => !isUnderWay(entry) && !(work.what === 'importing' && isToImport(entry)));
  const said =
    work.what === 'comparing'
      ? text.comparing(done.length, all.length)
      : text.importing(done.length, all.length, bytesOf(done), bytesOf(all));
  return (
    <>
      <p role="status">{said}</p>
      <progress aria-label={said} max={all.length} value={done.length} />
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
