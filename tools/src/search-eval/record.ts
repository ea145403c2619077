import { baselineKey, type Board } from './board.ts';

/** The recorded means of our own rankers, by board, ranker, kind and metric, with three decimals. */
export interface RecordedFigures {
  readonly model: string;
  readonly boards: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>>
  >;
}

/** The tolerated decrease in a figure. */
export const regressionTolerance = 0.015;

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

/** Returns a message for each figure that is worse than recorded, or no longer measured. */
export const findRegressions = (
  recordedFigures: RecordedFigures,
  measuredFigures: RecordedFigures,
): readonly string[] =>
  Object.entries(recordedFigures.boards).flatMap(([board, rows]) =>
    Object.entries(rows).flatMap(([ranker, kinds]) =>
      Object.entries(kinds).flatMap(([kind, metrics]) =>
        Object.entries(metrics).flatMap(([metric, previous]) => {
          const current = measuredFigures.boards[board]?.[ranker]?.[kind]?.[metric];
          const figure = `${board}, ${ranker}, ${kind}, ${metric}`;
          if (current === undefined) return [`${figure}: recorded as ${previous.toFixed(3)}, but not measured`];
          // The figures have three decimals, so half a unit of the last one may be due to rounding.
          return previous - current > regressionTolerance + 0.0005
            ? [`${figure}: ${current.toFixed(3)}, recorded as ${previous.toFixed(3)}`]
            : [];
        }),
      ),
    ),
  );
