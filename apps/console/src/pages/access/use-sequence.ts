import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { touch } from '../../api/use-call.ts';
import { touchedByAccess } from './touched.ts';

/** One of many that was refused, and why. */
export interface Refused<Item> {
  readonly item: Item;
  readonly error: unknown;
}

interface State<Item> {
  readonly done: number;
  readonly total: number;
  readonly refused: readonly Refused<Item>[];
}

/** Does the same to many, one after the other: each succeeds or fails in its own right, and what is done is counted. */
export const useSequence = <Item>(act: (item: Item) => Promise<unknown>) => {
  const queries = useQueryClient();
  const [state, setState] = useState<State<Item> | null>(null);
  const run = async (items: readonly Item[]): Promise<readonly Refused<Item>[]> => {
    const refused: Refused<Item>[] = [];
    for (const [done, item] of items.entries()) {
      setState({ done, total: items.length, refused });
      await act(item).catch((error: unknown) => refused.push({ item, error }));
    }
    setState({ done: items.length, total: items.length, refused });
    await touch(queries, touchedByAccess);
    return refused;
  };
  return { state, run, isRunning: state !== null && state.done < state.total };
};
