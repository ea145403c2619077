import {
  collectionDescriptionMax,
  collectionNameMax,
  hasAtMostCharacters,
  isJsonObject,
  isPlainLine,
  searchQueryMax,
} from '@portico/domain';
import { gradeOf, readArray, readLines, rejectDuplicate, textOf, type SourceRecord } from './labelled-records.ts';

/** An API in the corpus. */
export interface LabelledApi {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Creates the error for a rejection by the service. */
  readonly fail: SourceRecord['fail'];
}

export interface LabelledQuery {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  /** The grade of each relevant API, by its id. */
  readonly relevant: ReadonlyMap<string, number>;
}

export interface LabelledCollections {
  readonly apis: readonly LabelledApi[];
  readonly queries: readonly LabelledQuery[];
}

/** Reads a corpus and its queries. Throws `DataError` for the first record that cannot be evaluated. */
export const readLabelledCollections = (corpusFile: string, queriesFile: string): LabelledCollections => {
  const ids = new Set<string>();
  const apis = readLines(corpusFile).map((record) => apiOf(record, ids));
  const queryIds = new Set<string>();
  return { apis, queries: readArray(queriesFile).map((record) => queryOf(record, queryIds, ids)) };
};

const apiOf = (record: SourceRecord, seenIds: Set<string>): LabelledApi => {
  const { value, fail } = record;
  const [id, name] = [textOf(record, 'id'), textOf(record, 'name')];
  rejectDuplicate(seenIds, id, record);
  const description = value.description ?? '';
  if (typeof description !== 'string') throw fail('"description" must be a string');
  if (!hasAtMostCharacters(name.trim(), collectionNameMax) || !isPlainLine(name))
    throw fail(`"name" must be one line of at most ${collectionNameMax} characters`);
  if (!hasAtMostCharacters(description.trim(), collectionDescriptionMax))
    throw fail(`"description" must have at most ${collectionDescriptionMax} characters`);
  return { id, name, description, fail };
};

const queryOf = (record: SourceRecord, seenIds: Set<string>, apiIds: ReadonlySet<string>): LabelledQuery => {
  const { value, fail } = record;
  const [id, text, kind] = [textOf(record, 'id'), textOf(record, 'query'), textOf(record, 'kind')];
  rejectDuplicate(seenIds, id, record);
  if (!hasAtMostCharacters(text.trim(), searchQueryMax))
    throw fail(`"query" must have at most ${searchQueryMax} characters`);
  if (kind === 'all') throw fail('"kind" must not be "all", which stands for all kinds');
  const { relevant } = value;
  if (!isJsonObject(relevant)) throw fail('"relevant" must be an object of grades by the id of an API');
  const grades = Object.entries(relevant).map(([api, grade]) => {
    if (!apiIds.has(api)) throw fail(`"relevant" names "${api}", which is not in the corpus`);
    return [api, gradeOf(grade, api, record)] as const;
  });
  if (grades.length === 0) throw fail('"relevant" must name at least one API');
  return { id, kind, text, relevant: new Map(grades) };
};
