import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidateReads } from '../../api/use-call.ts';
import { accessReads } from './access-reads.ts';

/** An item that failed, with the error. */
export interface Failure<Item> {
  readonly item: Item;
  readonly error: unknown;
}

interface State<Item> {
  readonly done: number;
  readonly total: number;
  readonly failures: readonly Failure<Item>[];
}

/**
 * Runs an action on items one after another. Each succeeds or fails separately, and the state counts the finished ones.
 */
export const useSequence = <Item>(process: (item: Item) => Promise<unknown>) => {
  const queries = useQueryClient();
  const [state, setState] = useState<State<Item> | null>(null);
  const run = async (items: readonly Item[]): Promise<readonly Failure<Item>[]> => {
    const failures: Failure<Item>[] = [];
    for (const [done, item] of items.entries()) {
      setState({ done, total: items.length, failures });
      await process(item).catch((error: unknown) => failures.push({ item, error }));
    }
    setState({ done: items.length, total: items.length, failures });
    await invalidateReads(queries, accessReads);
    return failures;
  };
  return { state, run, isRunning: state !== null && state.done < state.total };
};
