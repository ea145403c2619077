import type { Deadline } from '../deadline.ts';
import type { ReadDocument } from '../documents/document.ts';
import type { Json } from '../json.ts';

/** A JSON object whose document was read. */
export interface MemberRead {
  /** The object without the member that holds the document. */
  readonly fields: { readonly [name: string]: Json };
  /** Null where that member is absent, null or a blank text. */
  readonly document: ReadDocument | null;
}

/**
 * Reads OpenAPI documents apart from the main thread; nothing in them is resolved or fetched. Who drives the use cases reads a
 * document by it first, and hands them what was read.
 */
export interface DocumentReader {
  /**
   * Reads the text of a JSON object whose member of that name is a document. Takes the bytes from the caller. Throws
   * `invalid_body`, saying what is wrong and where, for: invalid UTF-8 or JSON, no object, nesting deeper than 100, members of it
   * that could pollute a prototype, U+0000 or a lone surrogate anywhere but in the document, no document, and one with too many
   * values to be read within bounds. Throws `timed_out` once the deadline has expired: what waits leaves, and what is being read
   * is dropped.
   */
  readMember(object: Uint8Array, name: string, deadline: Deadline | null): Promise<MemberRead>;

  /**
   * Reads a whole text as one document; YAML is turned into the JSON that it means. The bytes stay with the caller. Throws as
   * `readMember` does.
   */
  readFile(content: Uint8Array, format: 'json' | 'yaml'): Promise<ReadDocument>;
}
