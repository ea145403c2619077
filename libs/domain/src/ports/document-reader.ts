import type { Deadline } from '../deadline.ts';
import type { ReadDocument } from '../documents/document.ts';
import type { Json } from '../json.ts';

/** Reads OpenAPI documents apart from the main thread; nothing in them is resolved or fetched. */
export interface DocumentReader {
  /**
   * Reads a request body, the text of a JSON object whose member `openapi_spec` is a document. `fields` is the object
   * without that member; `document` is null where the member is absent, null or a blank text. The bytes are moved away from the
   * caller. Throws `invalid_body`, saying what is wrong and where, for: invalid UTF-8 or JSON, no object, nesting
   * deeper than 100, members that could pollute a prototype, U+0000 or a lone surrogate anywhere but in the document, a document that
   * is none, and one with too many values to be read within bounds.
   * Throws `timed_out` once the deadline has expired: what waits is no longer read then, and what is being read is dropped.
   */
  readBody(
    body: Uint8Array,
    deadline: Deadline | null,
  ): Promise<{ readonly fields: { readonly [name: string]: Json }; readonly document: ReadDocument | null }>;

  /**
   * Reads a whole text as one document; YAML is turned into the JSON that it means. The bytes stay with the caller. Throws as
   * `readBody` does.
   */
  readFile(content: Uint8Array, format: 'json' | 'yaml'): Promise<ReadDocument>;
}
