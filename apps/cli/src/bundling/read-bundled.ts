import type { DocumentReader, ReadDocument } from '@portico/domain';
import type { ReadReferencedFile } from './folder-resolver.ts';

/** A file that may refer to others. */
export interface BundledFile {
  readonly file: string;
  readonly content: Uint8Array;
  /** The folder in which the files that it refers to are read. */
  readonly folder: string;
  /** Reads a file that it refers to, by its absolute path; by default, from the disk. */
  readonly readReferenced?: ReadReferencedFile | undefined;
}

/** Reads a file as a document; if it refers to other files, with their parts. */
export const readBundled = async (
  documents: Pick<DocumentReader, 'readFile' | 'convertToJson'>,
  { file, content, folder, readReferenced }: BundledFile,
): Promise<{ readonly document: ReadDocument; readonly notices: ReadDocument['notices'] }> => {
  const document = await documents.readFile(content);
  if (!document.hasExternalReferences) return { document, notices: document.notices };
  const { bundleDocument } = await import('./bundle-document.ts');
  const { json, notices } = await bundleDocument(file, content, folder, documents, readReferenced);
  const bundledDocument = json ? await documents.readFile(json) : document;
  return { document: bundledDocument, notices: [...bundledDocument.notices, ...notices] };
};
