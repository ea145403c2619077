import { baselineKey, type Board } from './board.ts';

/** Means of our own rankers as they were recorded: by board, ranker, kind and metric, with three decimals. */
export interface RecordedFigures {
  readonly model: string;
  readonly boards: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>>
  >;
}

/** How far a figure may fall. */
export const toleratedFall = 0.015;

export const recordOf = (model: string, boards: readonly Board[]): RecordedFigures => ({
  model,
  boards: Object.fromEntries(
    boards.map(({ key, rows, kinds, metrics }) => [
      key,
      Object.fromEntries(
        rows
          .filter((row) => row.key !== baselineKey)
          .map((row) => [
            row.key,
            Object.fromEntries(
              kinds.map(({ name }) => [
                name,
                Object.fromEntries(
                  metrics.map((metric) => [metric, Number((row.figures[name]?.[metric]?.mean ?? 0).toFixed(3))]),
                ),
              ]),
            ),
          ]),
      ),
    ]),
  ),
});

/** Says in a sentence each how figures are worse than recorded; a figure that is no longer measured is one of them. */
export const fallsSince = (recorded: RecordedFigures, measured: RecordedFigures): readonly string[] =>
  Object.entries(recorded.boards).flatMap(([board, rows]) =>
    Object.entries(rows).flatMap(([ranker, kinds]) =>
      Object.entries(kinds).flatMap(([kind, metrics]) =>
        Object.entries(metrics).flatMap(([metric, before]) => {
          const now = measured.boards[board]?.[ranker]?.[kind]?.[metric];
          const what = `${board}, ${ranker}, ${kind}, ${metric}`;
          if (now === undefined) return [`${what}: recorded as ${before.toFixed(3)}, but not measured`];
          // The figures have three decimals: half of the last one is no fall.
          return before - now > toleratedFall + 0.0005
            ? [`${what}: ${now.toFixed(3)}, recorded as ${before.toFixed(3)}`]
            : [];
        }),
      ),
    ),
  );
