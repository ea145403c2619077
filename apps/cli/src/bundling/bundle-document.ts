import { resolve } from 'node:path';
import { parseMarkedJson, writeMarkedJson, type DocumentReader, type DocumentWarning } from '@portico/domain';
import { bundle, createConfig, Source } from '@redocly/openapi-core';
import { FolderResolver, type ReadReferencedFile } from './folder-resolver.ts';

export interface Bundle {
  /** The document with the referenced parts of other files, as JSON; null if no other file was read. */
  readonly json: Uint8Array | null;
  /** The references that were left, and values of other files that JSON cannot represent. */
  readonly notices: readonly DocumentWarning[];
}

/** The maximum number of references that are named. */
const problemsMax = 5;

/**
 * Includes the parts of a document that are in other files below a folder. References that lead elsewhere, or to nothing,
 * are left and named. Throws if the document cannot be bundled.
 */
export const bundleDocument = async (
  file: string,
  content: Uint8Array,
  folder: string,
  documents: Pick<DocumentReader, 'convertToJson'>,
  readReferenced?: ReadReferencedFile,
): Promise<Bundle> => {
  const resolver = new FolderResolver(folder, documents, readReferenced);
  const { json } = await documents.convertToJson(content);
  const parsed = withSwaggerText(parseMarkedJson(Buffer.from(json).toString()) as object);
  const document = { source: new Source(resolve(file), ''), parsed };
  resolver.addRoot(document);
  const result = await bundle({ config: await createConfig({}), doc: document, externalRefResolver: resolver });
  return {
    json: resolver.fileCount > 0 ? Buffer.from(writeMarkedJson(result.bundle.parsed)) : null,
    notices: [...toProblemNotices(resolver.problems), ...resolver.notices],
  };
};

/** In YAML, the version may be a number. */
const withSwaggerText = (document: object): object =>
  'swagger' in document && !('openapi' in document) ? { ...document, swagger: '2.0' } : document;

const toProblemNotices = (problems: ReadonlyMap<string, string>): readonly DocumentWarning[] => {
  const messages = [...problems].map(([target, problem]) => `the reference to '${target}' was left: it ${problem}`);
  const remainder = messages.length - problemsMax;
  return [...messages.slice(0, problemsMax), ...(remainder > 0 ? [`${remainder} more references were left`] : [])].map(
    (message) => ({ pointer: '', message }),
  );
};
