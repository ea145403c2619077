import { existsSync, readFileSync } from 'node:fs';
import type { Embedder } from '@portico/domain';

interface Api {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

interface Judgement {
  readonly query: string;
  readonly kind: string;
  /** The grade of each relevant API: 2 for a direct answer, 1 for a near one. */
  readonly relevant: Readonly<Record<string, number>>;
}

/** Real texts and judged queries, beside the repository. */
const data = new URL('../../../../../shared/data/', import.meta.url);
const [corpusFile, queriesFile] = [new URL('catalog-eval.jsonl', data), new URL('queries-dev.json', data)];

export const evaluationDataIsPresent = (): boolean => existsSync(corpusFile) && existsSync(queriesFile);

/** nDCG@10 with a gain of 2^grade - 1, over all queries (`all`) and over those of each kind. */
export const evaluate = async (embedder: Embedder): Promise<ReadonlyMap<string, number>> => {
  const lines = readFileSync(corpusFile, 'utf8').split('\n');
  const apis = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Api);
  const judgements = JSON.parse(readFileSync(queriesFile, 'utf8')) as readonly Judgement[];
  const texts = apis.map(({ name, description }) => `${name}\n${description}`);
  const { vectors: documents } = await embedder.embed(texts, 'document');
  const { vectors: queries } = await embedder.embed(
    judgements.map(({ query }) => query),
    'query',
  );
  const figures = judgements.map(({ kind, relevant }, i) => {
    const ranked = documents
      .map((vector, j) => ({ id: apis[j]?.id ?? '', score: dot(vector, queries[i]) }))
      .sort((x, y) => y.score - x.score);
    const grades = ranked.map(({ id }) => relevant[id] ?? 0);
    return { kind, figure: gain(grades) / gain(Object.values(relevant).sort((x, y) => y - x)) };
  });
  const means = [...Map.groupBy(figures, ({ kind }) => kind)].map(([kind, some]) => [kind, mean(some)] as const);
  return new Map([['all', mean(figures)], ...means]);
};

const dot = (x: Float32Array, y: Float32Array | undefined): number =>
  x.reduce((sum, value, i) => sum + value * (y?.[i] ?? 0), 0);

const gain = (grades: readonly number[]): number =>
  grades.slice(0, 10).reduce((sum, grade, rank) => sum + (2 ** grade - 1) / Math.log2(rank + 2), 0);

const mean = (figures: readonly { readonly figure: number }[]): number =>
  figures.reduce((sum, { figure }) => sum + figure, 0) / figures.length;
