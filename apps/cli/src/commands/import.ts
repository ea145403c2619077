import { readFile } from 'node:fs/promises';
import { createDocumentReader, type Environment, type Portico } from '@portico/composition';
import {
  isSameEmail,
  nameFrom,
  operatorAuthority,
  type DocumentReader,
  type ProfileId,
  type ReadDocument,
} from '@portico/domain';
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
import {
  DocumentRejectedError,
  createStoresTarget,
  throwDocumentRejection,
  type ImportTarget,
} from './import-target.ts';
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
}

/** The dependencies of an import. */
interface ImportContext {
  readonly target: ImportTarget;
  readonly documents: Pick<DocumentReader, 'readFile'>;
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
  if (options.name !== undefined && sources.length !== 1)
    throw new OperatorError(`--name is for one document, but there are ${sources.length}`, exitCodes.usage);
  const summary = { imported: [] as ImportedFile[], skipped: [] as OmittedFile[], refused: [] as OmittedFile[] };
  const { terminal } = context;
  const progress = createProgress(terminal, options.dryRun ? 'Comparing' : 'Importing', sources.length);
  const importAll = async (): Promise<void> => {
    for (const [index, source] of sources.entries()) {
      progress.advanceTo(index, source.file);
      const result = await importFile(context, source, options);
      progress.hide();
      terminal.printLines(toFileLines(result, options));
      if ('name' in result) summary.imported.push(result);
      else summary[result.outcome].push(result);
    }
    progress.advanceTo(sources.length);
  };
  await runAndFinish(importAll, () => {
    progress.end();
    terminal.printResult(
      toReportView(summary, sources.length, options),
      toCountLines(summary, sources.length, options),
    );
  });
  return summary;
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

const importFile = async (
  { target, documents }: ImportContext,
  source: Source,
  { strict, name: fixedName, dryRun }: ImportOptions,
): Promise<ImportedFile | OmittedFile> => {
  const { file } = source;
  try {
    const content = await readFile(file);
    const format = formatOf(file, content);
    if (source.isDiscovered && !mentionsOpenApi(content, format))
      return { outcome: 'skipped', file, reason: 'no OpenAPI document' };
    const document = await documents.readFile(content, format).catch(throwDocumentRejection);
    const name = fixedName ?? nameOf(document, file);
    const importKey = fixedName === undefined ? source.importKey : null;
    const input = { name, document, strict: strict ?? false, importKey };
    const { descriptionDerived: description_derived, ...result } = dryRun
      ? await target.plan(input)
      : await target.publish(input);
    const { total: warnings, first: departures } = document.warnings;
    return { file, name, ...result, description_derived, warnings, departures };
  } catch (error) {
    return { outcome: 'refused', file, reason: reasonOf(error) };
  }
};

/**
 * Whether a discovered file is meant to be an OpenAPI document: a folder may contain other JSON and YAML files.
 * Malformed JSON that mentions OpenAPI counts as a broken document.
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
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'open' || syscall === 'read') return `cannot be read (${code})`;
  throw error;
};
