import { findSources, type Source } from './import-sources.ts';
import { readFile } from 'node:fs/promises';
import type { Portico } from '@portico/composition';
import {
  isPorticoError,
  nameIn,
  operatorAuthority,
  SchemaViolated,
  type DocumentWarning,
  type Profile,
  type ReadDocument,
} from '@portico/domain';
import { createProgress } from '../progress.ts';
import { counted, OperatorError, type Terminal } from '../terminal.ts';

export interface ImportOptions {
  /** The e-mail of the admin to record as the creator; default: the first admin. */
  readonly as?: string;
  /** Refuses documents that depart from the official schema; otherwise they are accepted with warnings. */
  readonly strict?: true;
  /** The folder that import keys are relative to; by default they are absolute paths. */
  readonly base?: string;
  /** Shows how each document departs from the official schema. */
  readonly explain?: true;
  /** Lists unchanged collections too. */
  readonly verbose?: true;
}

interface Line {
  readonly file: string;
}
interface Taken extends Line {
  readonly id: string;
  readonly name: string;
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** Whether the description is made of the document's words, which has none of its own. Named as in the output. */
  readonly description_derived: boolean;
  /** How many departures from the official schema the document has, and the first of them. */
  readonly warnings: number;
  readonly departures: readonly DocumentWarning[];
}
interface Left extends Line {
  readonly reason: string;
}

export interface ImportSummary {
  readonly taken: readonly Taken[];
  /** Found in a folder or by a glob, but not OpenAPI documents. */
  readonly skipped: readonly Left[];
  readonly refused: readonly Left[];
}

/** Imports documents one by one, each in its own transaction, so that an interrupted import keeps what it has done. */
export const importDocuments = async (
  portico: Portico,
  terminal: Terminal,
  paths: readonly string[],
  options: ImportOptions,
): Promise<ImportSummary> => {
  const creator = await creatorOf(portico, options.as);
  const sources = await findSources(paths, options.base);
  const summary = { taken: [] as Taken[], skipped: [] as Left[], refused: [] as Left[] };
  const progress = createProgress('Importing', sources.length);
  try {
    for (const [index, source] of sources.entries()) {
      progress.advanceTo(index, source.file);
      await importOne(portico, creator, source, options.strict ?? false, summary);
    }
    progress.advanceTo(sources.length);
  } finally {
    progress.end();
  }
  terminal.result(viewOf(summary), linesOf(summary, options));
  return summary;
};

const creatorOf = async ({ useCases }: Portico, email: string | undefined): Promise<Profile> => {
  const admins = await useCases.listAdmins(operatorAuthority);
  const creator = email === undefined ? admins[0] : admins.find((admin) => admin.email === email.trim().toLowerCase());
  if (creator) return creator;
  throw new OperatorError(
    email === undefined
      ? 'there is no admin to record as the creator: make one with "portico admin promote EMAIL"'
      : `no admin has the e-mail ${email}: see "portico admin list"`,
  );
};

const importOne = async (
  { useCases, documents }: Portico,
  creator: Profile,
  source: Source,
  strict: boolean,
  summary: { taken: Taken[]; skipped: Left[]; refused: Left[] },
): Promise<void> => {
  const { file, importKey } = source;
  try {
    const content = await readFile(file);
    const format = formatOf(file, content);
    if (source.found && !mentionsOpenApi(content, format)) {
      summary.skipped.push({ file, reason: 'no OpenAPI document' });
      return;
    }
    const document = await documents.readFile(content, format);
    const name = nameOf(document, file);
    const input = { name, document, strict, importKey };
    const { collection, outcome } = await useCases.importCollection(operatorAuthority, creator.id, input);
    const { total: warnings, first: departures } = document.warnings;
    const description_derived = collection.descriptionDerived && collection.description !== '';
    summary.taken.push({ file, id: collection.id, name, outcome, description_derived, warnings, departures });
  } catch (error) {
    summary.refused.push({ file, reason: reasonOf(error) });
  }
};

/**
 * Whether a file that was found rather than named is meant as an OpenAPI document: a folder may hold other JSON and
 * YAML. Malformed JSON that mentions OpenAPI counts as a broken document.
 */
const mentionsOpenApi = (content: Buffer, format: 'json' | 'yaml'): boolean => {
  const text = content.toString('utf8');
  if (format === 'yaml') return /^["']?(?:openapi|swagger)["']?\s*:/m.test(text);
  try {
    const value = JSON.parse(text) as unknown;
    return (
      typeof value === 'object' &&
      value !== null &&
      (Object.hasOwn(value, 'openapi') || Object.hasOwn(value, 'swagger'))
    );
  } catch {
    return /"(?:openapi|swagger)"\s*:/.test(text);
  }
};

const formatOf = (file: string, content: Buffer): 'json' | 'yaml' => {
  if (/\.ya?ml$/i.test(file)) return 'yaml';
  return /\.json$/i.test(file) || /^(?:\xef\xbb\xbf)?\s*[{[]/.test(content.toString('latin1', 0, 1_000))
    ? 'json'
    : 'yaml';
};

/** The document's title, else its file name. */
const nameOf = ({ title }: ReadDocument, file: string): string => {
  const stem = file.replace(/^.*[\\/]/, '').replace(/\.(json|ya?ml)$/i, '');
  return title ?? nameIn(stem) ?? 'Untitled';
};

/** Why a document is refused. Rethrows what is not the document's fault (a bug, a store that is away), ending the import. */
const reasonOf = (thrown: unknown): string => {
  // The name of the document's field in HTTP, so that both report the same error.
  const error = thrown instanceof SchemaViolated ? thrown.of('openapi_spec') : thrown;
  if (isPorticoError(error, 'invalid_body')) return error.message.replace(/^Invalid request body: /, '');
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'open' || syscall === 'read') return `cannot be read (${code})`;
  throw error;
};

const viewOf = ({ taken, skipped, refused }: ImportSummary) => ({
  ...countsOf({ taken, skipped, refused }),
  taken,
  skipped_files: skipped,
  refused_files: refused,
});

const countsOf = ({ taken, skipped, refused }: ImportSummary) => {
  const count = (outcome: Taken['outcome']) => taken.filter((line) => line.outcome === outcome).length;
  return {
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    skipped: skipped.length,
    refused: refused.length,
  };
};

const linesOf = (summary: ImportSummary, { explain, verbose }: ImportOptions): readonly string[] => {
  const { created, updated, unchanged, skipped, refused } = countsOf(summary);
  const departing = summary.taken.filter(({ warnings }) => warnings > 0).length;
  return [
    ...summary.taken
      .filter(({ outcome, warnings }) => verbose || outcome !== 'unchanged' || (explain && warnings > 0))
      .flatMap((taken) => [lineOf(taken), ...(explain ? departuresOf(taken) : [])]),
    ...summary.skipped.map(({ file, reason }) => `skipped    ${file}: ${reason}`),
    ...summary.refused.map(({ file, reason }) => `refused    ${file}: ${reason}`),
    `${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped, ${refused} refused.`,
    ...(departing > 0 && !explain
      ? [`${counted(departing, 'document')} with departures from the official schema: --explain shows them.`]
      : []),
  ];
};

const lineOf = ({ outcome, id, name, file, description_derived, warnings }: Taken): string =>
  [
    `${outcome.padEnd(9)}  ${id}  ${name}  (${file})`,
    ...(description_derived ? ['description derived'] : []),
    ...(warnings > 0 ? [counted(warnings, 'departure')] : []),
  ].join('  ');

const departuresOf = ({ warnings, departures }: Taken): readonly string[] => [
  ...departures.map(({ pointer, message }) => `    ${pointer || '(the document)'}  ${message}`),
  ...(warnings > departures.length ? [`    … and ${warnings - departures.length} more`] : []),
];
