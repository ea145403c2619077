import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidateReads, type ReadName } from '../../api/use-call.ts';
import { explanationOf } from './explained-errors.ts';

/** The outcome for one person. */
export interface Outcome {
  readonly name: string;
  readonly isDone: boolean;
  /** The outcome as text, such as `approved`. */
  readonly result: string;
}

/** The progress of a bulk action, with the outcomes so far. */
export interface Progress {
  readonly total: number;
  readonly outcomes: readonly Outcome[];
  readonly isRunning: boolean;
  /** Returns the text that describes in the summary how many people succeeded. */
  readonly formatDone: (count: number) => string;
}

/** A bulk action: how many rows the service accepts in one call, and how to send them. */
export interface BulkAction<Row> {
  readonly batchSize: number;
  /** Returns an outcome for each row of the batch, or throws for the whole batch. */
  readonly send: (batch: readonly Row[]) => Promise<readonly Outcome[]>;
  readonly nameOf: (row: Row) => string;
  readonly formatDone: (count: number) => string;
}

/** Runs a bulk action in batches, one after another, and reports its progress. */
export const useBatches = (affectedReads: readonly ReadName[]) => {
  const queries = useQueryClient();
  const [progress, setProgress] = useState<Progress | null>(null);
  const run = async <Row>(
    rows: readonly Row[],
    { batchSize, send, nameOf, formatDone }: BulkAction<Row>,
  ): Promise<void> => {
    const report = (outcomes: readonly Outcome[], isRunning: boolean) =>
      setProgress({ total: rows.length, outcomes, isRunning, formatDone });
    let outcomes: readonly Outcome[] = [];
    report(outcomes, true);
    for (let start = 0; start < rows.length; start += batchSize) {
      const batch = rows.slice(start, start + batchSize);
      const toFailures = (error: unknown) =>
        batch.map((row) => ({ name: nameOf(row), isDone: false, result: explanationOf(error) }));
      outcomes = [...outcomes, ...(await send(batch).catch(toFailures))];
      report(outcomes, true);
    }
    report(outcomes, false);
    await invalidateReads(queries, affectedReads);
  };
  return { progress, run, dismiss: () => setProgress(null) };
};

/**
 * Returns a bulk action for calls that the service accepts one by one. A batch has as many as a browser sends
 * concurrently.
 */
export const createSingleItemAction = <Row>(
  nameOf: (row: Row) => string,
  result: string,
  send: (row: Row) => Promise<unknown>,
): Pick<BulkAction<Row>, 'batchSize' | 'send' | 'nameOf'> => ({
  batchSize: 6,
  nameOf,
  send: (batch) =>
    Promise.all(
      batch.map((row) =>
        send(row).then(
          () => ({ name: nameOf(row), isDone: true, result }),
          (error: unknown) => ({ name: nameOf(row), isDone: false, result: explanationOf(error) }),
        ),
      ),
    ),
});
