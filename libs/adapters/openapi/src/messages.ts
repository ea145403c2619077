import type {
  Comparison,
  ConvertedFile,
  ExtraVersion,
  MemberRead,
  Operation,
  PackedText,
  ReadDocument,
  SecurityScheme,
  ServerSettings,
} from '@portico/domain';
import type { SentList } from './list-transfer.ts';

/** A text for a worker to read. Its bytes are transferred, not copied. */
export type ReadTask =
  | {
      readonly kind: 'member';
      readonly name: string;
      readonly extraVersions: readonly ExtraVersion[];
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: 'file' | 'json text'; readonly bytes: Uint8Array<ArrayBuffer> }
  | ({ readonly kind: 'origins'; readonly settings: ServerSettings } & StoredText)
  | ({ readonly kind: 'comparison'; readonly after: StoredText } & StoredText)
  | ({ readonly kind: 'stored document' | 'operations' | 'security schemes' | 'yaml text' } & StoredText);

/** A stored document; `bytes` is its packed text. */
export interface StoredText {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly text: Omit<PackedText, 'deflated'>;
}

/** A document as returned by a worker. */
export type SentDocument = Omit<ReadDocument, 'operations'> & { readonly operations: SentList<Operation> };

/** The result of a task: the parsed text, the reason for rejecting the text, or an internal failure. */
export type ReadResult =
  | { readonly member: Omit<MemberRead, 'document'> & { readonly document: SentDocument | null } }
  | { readonly file: SentDocument }
  | { readonly operations: SentList<Operation> }
  | { readonly securitySchemes: readonly SecurityScheme[] }
  | { readonly origins: readonly string[] }
  | { readonly comparison: Comparison }
  | { readonly text: PackedText }
  | { readonly json: ConvertedFile }
  | { readonly fileRejection: string; readonly isParsed: boolean; readonly isDocument: boolean }
  | { readonly rejection: string }
  | { readonly failed: Error };
