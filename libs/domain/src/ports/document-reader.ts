import type { Deadline } from '../deadline.ts';
import type { PackedText, ReadDocument } from '../documents/document.ts';
import type { Operation } from '../documents/operation.ts';
import type { Json } from '../json.ts';

/** A JSON object, and the document that was one of its members. */
export interface MemberRead {
  /** The object without the member that holds the document. */
  readonly fields: { readonly [name: string]: Json };
  /** Null if that member is absent, null or a blank text. */
  readonly document: ReadDocument | null;
}

/**
 * Reads OpenAPI documents off the main thread; resolves and fetches nothing that they refer to. Callers of the use
 * cases read a document first and pass them the result.
 */
export interface DocumentReader {
  /**
   * Reads a JSON object whose member `name` is a document. Takes the bytes away from the caller. Throws `invalid_body`,
   * saying what is wrong and where, for invalid UTF-8 or JSON, a value that is no object, nesting deeper than 100, an
   * unacceptable document or one with too many values to be read within bounds, and, outside the document, members that
   * could pollute a prototype, U+0000 and lone surrogates. Throws `timed_out` once the deadline has expired: a waiting
   * read leaves the queue, one under way is dropped.
   */
  readMember(object: Uint8Array, name: string, deadline: Deadline | null): Promise<MemberRead>;

  /** Reads a file as one document; converts YAML to JSON. The caller keeps the bytes. Throws as `readMember` does. */
  readFile(content: Uint8Array, format: 'json' | 'yaml'): Promise<ReadDocument>;

  /** Reads the operations of a stored document. The caller keeps the bytes. */
  readOperations(document: PackedText): Promise<readonly Operation[]>;

  /** A stored document as YAML, packed as it is. The caller keeps the bytes. Throws `timed_out` as `readMember`. */
  yamlText(document: PackedText, deadline: Deadline | null): Promise<PackedText>;
}
