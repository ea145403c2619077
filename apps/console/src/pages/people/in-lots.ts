import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { touch, type Reads } from '../../api/use-call.ts';
import { whyOf } from './refusals.ts';

/** What became of one. */
export interface Outcome {
  readonly name: string;
  readonly isDone: boolean;
  /** In words, such as `approved`. */
  readonly what: string;
}

/** How an act on many goes on, and what became of each once it has ended. */
export interface Progress {
  readonly total: number;
  readonly outcomes: readonly Outcome[];
  readonly isRunning: boolean;
  /** Says in the summary how many it was done for. */
  readonly done: (count: number) => string;
}

/** An act on many: how many of them the service takes at once, and how they are sent. */
export interface ManyAct<Row> {
  readonly lotSize: number;
  /** Returns an outcome for each of the lot, or throws for all of it. */
  readonly send: (lot: readonly Row[]) => Promise<readonly Outcome[]>;
  readonly nameOf: (row: Row) => string;
  readonly done: (count: number) => string;
}

/** Sends an act on many in lots, one after another, and tells how far it is. */
export const useLots = (touches: readonly Reads[]) => {
  const queries = useQueryClient();
  const [progress, setProgress] = useState<Progress | null>(null);
  const run = async <Row>(rows: readonly Row[], { lotSize, send, nameOf, done }: ManyAct<Row>): Promise<void> => {
    const told = (outcomes: readonly Outcome[], isRunning: boolean) =>
      setProgress({ total: rows.length, outcomes, isRunning, done });
    let outcomes: readonly Outcome[] = [];
    told(outcomes, true);
    for (let at = 0; at < rows.length; at += lotSize) {
      const lot = rows.slice(at, at + lotSize);
      const failed = (error: unknown) => lot.map((row) => ({ name: nameOf(row), isDone: false, what: whyOf(error) }));
      outcomes = [...outcomes, ...(await send(lot).catch(failed))];
      told(outcomes, true);
    }
    told(outcomes, false);
    await touch(queries, touches);
  };
  return { progress, run, dismiss: () => setProgress(null) };
};

/** For acts that the service takes one by one: as many at once as a browser sends anyway. */
export const oneByOne = <Row>(
  nameOf: (row: Row) => string,
  what: string,
  send: (row: Row) => Promise<unknown>,
): Pick<ManyAct<Row>, 'lotSize' | 'send' | 'nameOf'> => ({
  lotSize: 6,
  nameOf,
  send: (lot) =>
    Promise.all(
      lot.map((row) =>
        send(row).then(
          () => ({ name: nameOf(row), isDone: true, what }),
          (error: unknown) => ({ name: nameOf(row), isDone: false, what: whyOf(error) }),
        ),
      ),
    ),
});
