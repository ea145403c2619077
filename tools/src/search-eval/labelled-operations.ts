import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonArray, isJsonObject, type Json } from '@portico/domain';
import { apiDocumentOf, type ApiDocument } from './api-document.ts';
import { DataError, gradeOf, readArray, rejectDuplicate, textOf, type SourceRecord } from './labelled-records.ts';

export interface LabelledTask {
  readonly id: string;
  readonly kind: string;
  readonly text: string;
  /** The grade of each operation for this task, by unit; empty if no operation fits. */
  readonly grades: ReadonlyMap<string, number>;
}

export interface LabelledOperations {
  readonly documents: readonly ApiDocument[];
  /** The API that a document is a variant of, by file. A document without a family is its own API. */
  readonly familyOf: ReadonlyMap<string, string>;
  readonly tasks: readonly LabelledTask[];
}

/** Returns the unit of an operation. The same method and path in variants of one API are a single unit. */
export const unitOf = (family: string, method: string, path: string): string => `${family} ${method} ${path}`;

/** Returns the API of a unit. */
export const unitFamilyOf = (unit: string): string => unit.slice(0, unit.indexOf(' '));

/**
 * Reads `tasks.json` (or `tasks-dev.json`) and `families.json` in a folder, and the documents in its subfolder `specs`,
 * or in a sibling folder `specs`. Throws `DataError` for the first record that cannot be evaluated.
 */
export const readLabelledOperations = (folder: string): LabelledOperations => {
  const tasksFile = findFirst(folder, ['tasks.json', 'tasks-dev.json']);
  const documentsFolder = findFirst(folder, ['specs', '../specs']);
  const documents = readDocuments(documentsFolder);
  const familyOf = familiesOf(join(folder, 'families.json'), documents);
  const knownUnits = new Set(
    documents.flatMap(({ file, operations }) =>
      operations.map(({ method, path }) => unitOf(familyOf.get(file) ?? file, method, path)),
    ),
  );
  const ids = new Set<string>();
  return {
    documents,
    familyOf,
    tasks: readArray(tasksFile).map((record) => taskOf(record, ids, familyOf, knownUnits)),
  };
};

const findFirst = (folder: string, names: readonly string[]): string => {
  const path = names.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (path === undefined) throw new DataError(folder, '', `it contains neither ${names.join(' nor ')}`);
  return path;
};

const readDocuments = (folder: string): readonly ApiDocument[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json') && file !== 'manifest.json')
    .sort()
    .flatMap((file) => {
      try {
        return [apiDocumentOf(file, JSON.parse(readFileSync(join(folder, file), 'utf8')) as Json)];
      } catch (error) {
        throw new DataError(join(folder, file), '', error instanceof Error ? error.message : String(error));
      }
    });

const familiesOf = (file: string, documents: readonly ApiDocument[]): ReadonlyMap<string, string> => {
  const families = new Map(documents.map((document) => [document.file, document.file]));
  if (!existsSync(file)) return families;
  for (const record of readArray(file)) {
    const { docs } = record.value;
    if (!isJsonArray(docs)) throw record.fail('"docs" must be a list of files');
    for (const doc of docs) if (typeof doc === 'string') families.set(doc, textOf(record, 'family'));
  }
  return families;
};

const taskOf = (
  record: SourceRecord,
  seenIds: Set<string>,
  familyOf: ReadonlyMap<string, string>,
  knownUnits: ReadonlySet<string>,
): LabelledTask => {
  const { value, fail } = record;
  const [id, text, kind] = [textOf(record, 'id'), textOf(record, 'task'), textOf(record, 'kind')];
  rejectDuplicate(seenIds, id, record);
  if (!isJsonArray(value.right)) throw fail('"right" must be a list of operations, which may be empty');
  const grades = new Map<string, number>();
  for (const entry of value.right) {
    if (!isJsonObject(entry)) throw fail('"right" must contain objects with doc, method, path and grade');
    const operation = { value: entry, fail };
    const [doc, method, path] = [textOf(operation, 'doc'), textOf(operation, 'method'), textOf(operation, 'path')];
    const unit = unitOf(familyOf.get(doc) ?? doc, method, path);
    if (!knownUnits.has(unit)) throw fail(`"right" names ${method} ${path} of ${doc}, which is not in the documents`);
    grades.set(unit, Math.max(grades.get(unit) ?? 0, gradeOf(entry.grade, `${method} ${path}`, record)));
  }
  return { id, kind, text, grades };
};
