import type { MemberRead, Operation, ReadDocument } from '@portico/domain';

/** A text for a worker to read. Its bytes are transferred, not copied. */
export type Order =
  | { readonly what: 'member'; readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly what: 'json' | 'yaml'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** A stored document; the bytes are its packed text. */
  | { readonly what: 'operations' | 'yaml text'; readonly bytes: Uint8Array<ArrayBuffer> };

/** What a worker returns: what it read, why the text is refused, or a failure of its own. */
export type Outcome =
  | { readonly member: MemberRead }
  | { readonly file: ReadDocument }
  | { readonly operations: readonly Operation[] }
  | { readonly text: Uint8Array<ArrayBuffer> }
  | { readonly refused: string }
  | { readonly failed: Error };
