import {
  collectionDescriptionMax,
  collectionNameMax,
  hasAtMost,
  isJsonObject,
  isPlainLine,
  searchQueryMax,
} from '@portico/domain';
import { gradeOf, readArray, readLines, refuseTwins, textOf, type SourceRecord } from './judged-records.ts';

/** One API of the corpus. */
export interface JudgedApi {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** How a refusal by the service is reported. */
  readonly fail: SourceRecord['fail'];
}

export interface JudgedQuery {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  /** The grade of each relevant API, by its id. */
  readonly relevant: ReadonlyMap<string, number>;
}

export interface JudgedCollections {
  readonly apis: readonly JudgedApi[];
  readonly queries: readonly JudgedQuery[];
}

/** Reads a corpus and its queries. Throws `DataError` at the first record that cannot be evaluated. */
export const readJudgedCollections = (corpusFile: string, queriesFile: string): JudgedCollections => {
  const ids = new Set<string>();
  const apis = readLines(corpusFile).map((record) => apiOf(record, ids));
  const queryIds = new Set<string>();
  return { apis, queries: readArray(queriesFile).map((record) => queryOf(record, queryIds, ids)) };
};

const apiOf = (record: SourceRecord, seen: Set<string>): JudgedApi => {
  const { value, fail } = record;
  const [id, name] = [textOf(record, 'id'), textOf(record, 'name')];
  refuseTwins(seen, id, record);
  const description = value.description ?? '';
  if (typeof description !== 'string') throw fail('"description" must be a text');
  if (!hasAtMost(name.trim(), collectionNameMax) || !isPlainLine(name))
    throw fail(`"name" must be one line of at most ${collectionNameMax} characters`);
  if (!hasAtMost(description.trim(), collectionDescriptionMax))
    throw fail(`"description" must have at most ${collectionDescriptionMax} characters`);
  return { id, name, description, fail };
};

const queryOf = (record: SourceRecord, seen: Set<string>, apis: ReadonlySet<string>): JudgedQuery => {
  const { value, fail } = record;
  const [id, text, kind] = [textOf(record, 'id'), textOf(record, 'query'), textOf(record, 'kind')];
  refuseTwins(seen, id, record);
  if (!hasAtMost(text.trim(), searchQueryMax)) throw fail(`"query" must have at most ${searchQueryMax} characters`);
  if (kind === 'all') throw fail('"kind" must not be "all": that is the name of all kinds together');
  const { relevant } = value;
  if (!isJsonObject(relevant)) throw fail('"relevant" must be an object of grades by the id of an API');
  const grades = Object.entries(relevant).map(([api, grade]) => {
    if (!apis.has(api)) throw fail(`"relevant" names "${api}", which the corpus does not hold`);
    return [api, gradeOf(grade, api, record)] as const;
  });
  if (grades.length === 0) throw fail('"relevant" must name at least one API');
  return { id, kind, text, relevant: new Map(grades) };
};
