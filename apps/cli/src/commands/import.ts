import { readFile } from 'node:fs/promises';
import { createDocumentReader, type Environment, type Portico } from '@portico/composition';
import {
  DocumentFileError,
  isConverted,
  isPorticoError,
  isSameEmail,
  nameFrom,
  operatorAuthority,
  type DocumentReader,
  type ProfileId,
  type ReadDocument,
} from '@portico/domain';
import { readBundled } from '../bundling/read-bundled.ts';
import { runAndFinish } from '../run-and-finish.ts';
import { createProgress } from '../progress.ts';
import type { Api } from '../server/api.ts';
import { exitCodes, OperatorError, type Terminal } from '../terminal.ts';
import {
  toCountLines,
  toFileLines,
  toReportView,
  type ImportSummary,
  type OmittedFile,
  type ReportOptions,
  type ImportedFile,
} from './import-report.ts';
import { findSources, type Source } from './import-sources.ts';
import { toAffectedLines, toComparisonLines } from './comparison-lines.ts';
import { rejectChanges, type FailingLevel } from './failing-changes.ts';
import { DocumentRejectedError, createStoresTarget, removePrefix, type ImportTarget } from './import-target.ts';
import { createServerTarget } from './import-to-server.ts';

export interface ImportOptions extends ReportOptions {
  /**
   * The email address of the admin to record as the creator; by default, the first admin. A server records the person
   * who signed in.
   */
  readonly as?: string;
  /** Rejects documents that violate the official schema; otherwise they are accepted with warnings. */
  readonly strict?: true;
  /** The folder that import keys are relative to; by default, import keys are absolute paths. */
  readonly base?: string;
  /**
   * The origin of the documents, such as their repository; makes import keys relative to the base or current folder.
   */
  readonly source?: string;
  /** Publishes one file as the collection with exactly this name, instead of identifying the collection by path. */
  readonly name?: string;
  /** Imports nothing if a document has changes of this level, or of a more important one. */
  readonly failOn?: FailingLevel;
}

/** The dependencies of an import. */
interface ImportContext {
  readonly target: ImportTarget;
  readonly documents: Pick<DocumentReader, 'readFile' | 'convertToJson'>;
  readonly terminal: Terminal;
}

/** Imports documents into the stores. */
export const importIntoStores = async (
  portico: Portico,
  terminal: Terminal,
  paths: readonly string[],
  options: ImportOptions,
): Promise<ImportSummary> => {
  // A dry run creates nothing, so there is no creator to record.
  const creator = options.dryRun ? null : await creatorOf(portico, options.as);
  const target = createStoresTarget(portico, creator);
  return importDocuments({ target, documents: portico.documents, terminal }, paths, options);
};

/** Imports documents over HTTP. They are read here first, so that the same files are found, skipped and rejected. */
export const importOverHttp = async (
  api: Api,
  environment: Environment,
  terminal: Terminal,
  paths: readonly string[],
  { as, source = sourceIn(environment), ...options }: ImportOptions,
): Promise<ImportSummary> => {
  if (as !== undefined)
    throw new OperatorError('--as cannot be used with a server, which records the caller', exitCodes.usage);
  const documents = createDocumentReader();
  try {
    const keyOptions = source === undefined ? options : { ...options, source };
    return await importDocuments({ target: createServerTarget(api), documents, terminal }, paths, keyOptions);
  } finally {
    await documents.close();
  }
};

/**
 * Imports documents one by one, each in its own transaction, so that the work completed before an interruption is kept
 * and reported.
 */
const importDocuments = async (
  context: ImportContext,
  paths: readonly string[],
  options: ImportOptions,
): Promise<ImportSummary> => {
  const sources = await findSources(paths, options);
  if (options.name !== undefined) requireOneDocument(sources);
  // Plans everything first, so that nothing is imported if one document has such changes.
  if (options.failOn && !options.dryRun) await requireNoChanges(context, sources, options);
  const summary = { imported: [] as ImportedFile[], skipped: [] as OmittedFile[], refused: [] as OmittedFile[] };
  const ignoredSources = new Set<Source>();
  const documentArguments = new Set<string>();
  const { terminal } = context;
  const progress = createProgress(terminal, options.dryRun ? 'Comparing' : 'Importing', sources.length);
  const importAll = async (): Promise<void> => {
    for (const [index, source] of sources.entries()) {
      progress.advanceTo(index, source.file);
      const result = await importFile(context, source, options);
      progress.hide();
      if (result === null) {
        ignoredSources.add(source);
        continue;
      }
      terminal.printLines(toFileLines(result, options));
      if ('name' in result) summary.imported.push(result);
      else summary[result.outcome].push(result);
      if (result.outcome !== 'skipped') documentArguments.add(source.argument);
    }
    progress.advanceTo(sources.length);
  };
  await runAndFinish(importAll, () => {
    progress.end();
    const fileCount = sources.length - ignoredSources.size;
    terminal.printResult(toReportView(summary, fileCount, options), toCountLines(summary, fileCount, options));
  });
  requireDocuments(sources, documentArguments);
  if (options.failOn && options.dryRun) rejectChanges(summary.imported, options.failOn);
  return summary;
};

/** Throws if publishing one of the documents would make changes of the level `failOn`, and prints their plans. */
const requireNoChanges = async (
  context: ImportContext,
  sources: readonly Source[],
  options: ImportOptions & { readonly failOn?: FailingLevel },
): Promise<void> => {
  const plans: ImportedFile[] = [];
  for (const source of sources) {
    const plan = await importFile(context, source, { ...options, dryRun: true });
    if (plan && 'name' in plan) plans.push(plan);
  }
  rejectChanges(plans, options.failOn ?? 'breaking', (plan) =>
    [plan.file, ...toComparisonLines(plan.comparison ?? null), ...toAffectedLines(plan.affected ?? null)].forEach(
      (line) => context.terminal.printNote(line),
    ),
  );
};

/** Throws a usage error unless there is one file, apart from those that may turn out to be no documents. */
const requireOneDocument = (sources: readonly Source[]): void => {
  const count = sources.filter(({ isCandidate }) => !isCandidate).length || sources.length;
  if (count !== 1) throw new OperatorError(`--name is for one document, but there are ${count}`, exitCodes.usage);
};

/** Throws if a folder or a pattern has led to no document: a pipeline should not succeed if it publishes nothing. */
const requireDocuments = (sources: readonly Source[], documentArguments: ReadonlySet<string>): void => {
  const emptyArguments = [...new Set(sources.map(({ argument }) => argument))].filter(
    (argument) => !documentArguments.has(argument),
  );
  if (emptyArguments.length > 0)
    throw new OperatorError(emptyArguments.map((argument) => `${argument}: contains no OpenAPI document`).join('; '));
};

/** Returns the admin to record as the creator. */
const creatorOf = async ({ useCases }: Portico, email: string | undefined): Promise<ProfileId> => {
  const admins = await useCases.listAdmins(operatorAuthority);
  const creator = email === undefined ? admins[0] : admins.find((admin) => isSameEmail(admin.email, email.trim()));
  if (creator) return creator.id;
  throw new OperatorError(
    email === undefined
      ? 'there is no admin to record as the creator: promote one with "portico people promote EMAIL"'
      : `no admin has the email address ${email}: see "portico people list --admins"`,
  );
};

/**
 * Returns the repository from GitHub's or GitLab's variables. Unlike paths, it is the same for every run of a pipeline.
 */
const sourceIn = ({ GITHUB_REPOSITORY, CI_PROJECT_PATH }: Environment): string | undefined =>
  (GITHUB_REPOSITORY ?? CI_PROJECT_PATH) || undefined;

/** Returns null for a file that is not a document, and whose name is not that of one. */
const importFile = async (
  { target, documents }: ImportContext,
  source: Source,
  { strict, name: fixedName, dryRun }: ImportOptions,
): Promise<ImportedFile | OmittedFile | null> => {
  const { file } = source;
  try {
    const { document, notices } = await readSource(documents, source);
    const name = fixedName ?? nameOf(document, file);
    const importKey = fixedName === undefined ? source.importKey : null;
    const input = { name, document, strict: strict ?? false, importKey };
    const { descriptionDerived: description_derived, ...result } = dryRun
      ? await target.plan(input)
      : await target.publish(input);
    const { total: warnings, first: departures } = document.warnings;
    const converted_from = document.original && isConverted(document.original) ? document.original.version : null;
    return { file, name, ...result, description_derived, converted_from, notices, warnings, departures };
  } catch (error) {
    return toOmission(source, error);
  }
};

/** Reads a file; if it refers to others, with their parts. */
const readSource = async (
  documents: ImportContext['documents'],
  { file, folder }: Source,
): Promise<{ readonly document: ReadDocument; readonly notices: ReadDocument['notices'] }> => {
  return readBundled(documents, { file, content: await readFile(file), folder });
};

/** Returns why a file is not imported. A file that was only found is skipped if it is not meant to be a document. */
const toOmission = ({ file, isDiscovered, isCandidate }: Source, error: unknown): OmittedFile | null => {
  if (error instanceof DocumentFileError) {
    if (isCandidate) return null;
    const reason = removePrefix(error.message);
    if (!isDiscovered || error.isDocument) return { outcome: 'refused', file, reason };
    return { outcome: 'skipped', file, reason: `no OpenAPI document${error.isParsed ? '' : `: ${reason}`}` };
  }
  return { outcome: 'refused', file, reason: reasonOf(error) };
};

/** Returns the document's title, or else a name derived from its file name. */
const nameOf = ({ title }: ReadDocument, file: string): string => {
  const stem = file.replace(/^.*[\\/]/, '').replace(/\.(json|ya?ml)$/i, '');
  return title ?? nameFrom(stem) ?? 'Untitled';
};

/**
 * Returns why a document is rejected. Rethrows errors that the document did not cause, which stops the import.
 */
const reasonOf = (error: unknown): string => {
  if (error instanceof DocumentRejectedError) return error.message;
  if (isPorticoError(error, 'invalid_body')) return removePrefix(error.message);
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'open' || syscall === 'read') return `cannot be read (${code})`;
  throw error;
};
