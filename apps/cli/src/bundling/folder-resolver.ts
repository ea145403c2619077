import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { parseMarkedJson, type DocumentReader, type DocumentWarning } from '@portico/domain';
import { BaseResolver, ResolveError, Source, type Document } from '@redocly/openapi-core';

/** The maximum size of a referenced file, and of all of them together, in bytes. */
const fileBytesMax = 33_554_432;
const totalBytesMax = 134_217_728;

/** Reads a file by its absolute path. Throws an error whose message completes `the reference was left: it …`. */
export type ReadReferencedFile = (path: string) => Promise<Buffer>;

/**
 * Reads the files that a document refers to, only below one folder: no address is fetched, and neither `..` nor a
 * symbolic link leads out. Numbers keep their digits (`parseMarkedJson`).
 */
export class FolderResolver extends BaseResolver {
  readonly #folder: string;
  readonly #documents: Pick<DocumentReader, 'convertToJson'>;
  readonly #readReferenced: ReadReferencedFile | null;
  readonly #loadedDocuments = new Map<string, Promise<Document>>();
  /** The reasons why references were left, by target. */
  readonly problems = new Map<string, string>();
  readonly notices: DocumentWarning[] = [];
  /** The number of files that were read. */
  fileCount = 0;
  #totalBytes = 0;

  constructor(folder: string, documents: Pick<DocumentReader, 'convertToJson'>, readReferenced?: ReadReferencedFile) {
    super();
    this.#readReferenced = readReferenced ?? null;
    this.#folder = resolve(folder);
    this.#documents = documents;
  }

  /** Adds the document that the references start from. */
  addRoot(document: Document): void {
    this.#loadedDocuments.set(document.source.absoluteRef, Promise.resolve(document));
  }

  override resolveExternalRef(base: string | null, reference: string): string {
    return isAddress(reference) ? reference : resolve(base === null ? this.#folder : dirname(base), decode(reference));
  }

  override resolveDocument<T = unknown>(base: string | null, reference: string): Promise<Document<T>> {
    const target = this.resolveExternalRef(base, reference);
    const document = this.#loadedDocuments.get(target) ?? this.#load(target);
    this.#loadedDocuments.set(target, document);
    return document as Promise<Document<T>>;
  }

  async #load(target: string): Promise<Document> {
    try {
      const parsed = await this.#read(target);
      this.fileCount++;
      return { source: new Source(target, ''), parsed };
    } catch (error) {
      this.problems.set(isAddress(target) ? target : relative(this.#folder, target), (error as Error).message);
      throw new ResolveError(error as Error);
    }
  }

  async #read(target: string): Promise<unknown> {
    if (isAddress(target)) throw new Error('is an address, and nothing is fetched');
    const outside = `is outside of the folder ${this.#folder}, so it was not read`;
    if (!isInside(this.#folder, target)) throw new Error(outside);
    const content = await (this.#readReferenced
      ? this.#readWith(this.#readReferenced, target)
      : this.#readFromDisk(target, outside));
    // As for a Markdown description, for example.
    if (!/\.(?:json|ya?ml)$/i.test(target)) return content.toString('utf8');
    const { json, notices } = await this.#documents.convertToJson(content);
    const name = relative(this.#folder, target);
    this.notices.push(
      ...notices.map(({ pointer, message }) => ({ pointer: '', message: `${name}#${pointer} ${message}` })),
    );
    return parseMarkedJson(Buffer.from(json).toString());
  }

  async #readWith(read: ReadReferencedFile, target: string): Promise<Buffer> {
    const content = await read(target);
    this.#addBytes(content.length);
    return content;
  }

  #addBytes(bytes: number): void {
    if (bytes > fileBytesMax || (this.#totalBytes += bytes) > totalBytesMax)
      throw new Error('is too large to be bundled');
  }

  /** Reads a file, unless a link leads out of the folder. */
  async #readFromDisk(target: string, outside: string): Promise<Buffer> {
    const file = await realpath(target).catch(throwReadError);
    if (!isInside(await realpath(this.#folder), file)) throw new Error(`is a link; its target ${outside}`);
    const stats = await stat(file);
    if (!stats.isFile()) throw new Error('is not a file');
    this.#addBytes(stats.size);
    return readFile(file).catch(throwReadError);
  }
}

/** Whether a reference is a URL rather than a path (RFC 3986, sections 3.1 and 4.2). */
const isAddress = (reference: string): boolean => /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(reference);

/** A path may be percent-encoded, because a reference is a URI (RFC 3986). */
const decode = (reference: string): string => {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference; // A stray percent sign is part of the name.
  }
};

const isInside = (folder: string, file: string): boolean => {
  const path = relative(folder, file);
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
};

const throwReadError = (error: unknown): never => {
  const { code } = error as NodeJS.ErrnoException;
  throw new Error(code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read (${code})`);
};
