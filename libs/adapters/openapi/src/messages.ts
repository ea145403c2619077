import type { MemberRead, Operation, PackedText, ReadDocument } from '@portico/domain';
import type { Sent } from './portions.ts';

/** A text for a worker to read. Its bytes are transferred, not copied. */
export type Order =
  | { readonly what: 'member'; readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly what: 'json' | 'yaml'; readonly bytes: Uint8Array<ArrayBuffer> }
  | ({ readonly what: 'operations' | 'yaml text' } & StoredText);

/** A stored document: `bytes` are its packed text. */
export interface StoredText {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly text: Omit<PackedText, 'deflated'>;
}

/** A document as a worker returns it. */
export type SentDocument = Omit<ReadDocument, 'operations'> & { readonly operations: Sent<Operation> };

/** What a worker returns: what it read, why the text is refused, or a failure of its own. */
export type Outcome =
  | { readonly member: Omit<MemberRead, 'document'> & { readonly document: SentDocument | null } }
  | { readonly file: SentDocument }
  | { readonly operations: Sent<Operation> }
  | { readonly text: PackedText }
  | { readonly refused: string }
  | { readonly failed: Error };
