import { decodeText } from './decode-text.ts';
import { findSyntaxErrorOffset, positionAt, type Position } from './find-syntax-error-offset.ts';
import { convertYamlToJson, YamlError, type Notice } from './yaml-to-json.ts';

/** The result of reading a file. */
export type FileRead =
  | {
      readonly kind: 'document';
      /** The document's `info.title`, unchanged. */
      readonly title: string | null;
      /** The document as JSON; for a JSON file, the unchanged text. */
      readonly json: Blob;
      /** The values that were lost. */
      readonly notices: readonly Notice[];
    }
  /** The file does not claim to be an OpenAPI document. */
  | { readonly kind: 'other' }
  | {
      readonly kind: 'broken';
      readonly reason: 'unreadable' | 'encoding' | 'json' | 'yaml' | 'deep';
      readonly detail: string;
      readonly position: Position | null;
    };

/** The maximum size of a file that is read although its name is not that of a document, in bytes. */
const candidateBytesMax = 33_554_432;

export const isDocumentName = (path: string): boolean => /\.(json|ya?ml)$/i.test(path);

/**
 * Reads a file. Its content shows whether it is JSON or YAML; if its name is not that of a document, it counts only if
 * it is one. Runs in the worker, not in the page's thread.
 */
export const readDocument = async (file: File): Promise<FileRead> => {
  const isNamed = isDocumentName(file.name);
  if (!isNamed && file.size > candidateBytesMax) return { kind: 'other' };
  const read = await readContent(file);
  return read.kind === 'broken' && !isNamed ? { kind: 'other' } : read;
};

const readContent = async (file: File): Promise<FileRead> => {
  const bytes = await file.arrayBuffer().catch(() => null);
  if (!bytes) return toBroken('unreadable');
  const text = decodeText(new Uint8Array(bytes));
  if (text === null) return toBroken('encoding');
  try {
    return /^\s*[{[]/.test(text) ? readJsonOrYaml(text) : readYaml(text);
  } catch (error) {
    // The parsers are recursive, so deep nesting exceeds the call stack.
    if (error instanceof RangeError) return toBroken('deep');
    throw error;
  }
};

const toBroken = (
  reason: (FileRead & { readonly kind: 'broken' })['reason'],
  detail = '',
  position: Position | null = null,
): FileRead => ({ kind: 'broken', reason, detail, position });

/**
 * A text that is not JSON may be YAML in flow style. If it is neither, the error is that of the language in which it
 * begins. JSON with comments is rejected, because YAML would read them as values.
 */
const readJsonOrYaml = (text: string): FileRead => {
  const isAlmostJson = /^\s*(?:\{\s*["}]|\[)/.test(text);
  try {
    const value: unknown = JSON.parse(text);
    return declaresVersion(value)
      ? { kind: 'document', title: titleOf(value), json: new Blob([text]), notices: [] }
      : { kind: 'other' };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const offset = findSyntaxErrorOffset(text);
    const isComment = /^\/[/*]/.test(text.slice(offset, offset + 2));
    const read = isComment ? null : readYaml(text, isAlmostJson);
    if (read && (read.kind === 'document' || !isAlmostJson)) return read;
    return mentionsVersion(text) ? toBroken('json', '', positionAt(text, offset)) : { kind: 'other' };
  }
};

const readYaml = (text: string, requiresValues = false): FileRead => {
  if (!mentionsVersion(text)) return { kind: 'other' };
  try {
    const { json, value, notices } = convertYamlToJson(text, { requiresValues });
    if (!(value instanceof Map) || !(value.has('openapi') || value.has('swagger'))) return { kind: 'other' };
    const info: unknown = value.get('info');
    const title: unknown = info instanceof Map ? info.get('title') : null;
    return { kind: 'document', title: typeof title === 'string' ? title : null, json: new Blob([json]), notices };
  } catch (error) {
    if (error instanceof YamlError) return toBroken('yaml', error.message, error.position);
    if (error instanceof ReferenceError) return toBroken('yaml', error.message);
    throw error;
  }
};

const declaresVersion = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && ('openapi' in value || 'swagger' in value);

/** Whether a text contains the name of a document's version as a member. */
const mentionsVersion = (text: string): boolean => /(?<![\w.-])["']?(?:openapi|swagger)["']?\s*:/.test(text);

const titleOf = (document: object): string | null => {
  const { info } = document as { readonly info?: { readonly title?: unknown } | null };
  return typeof info?.title === 'string' ? info.title : null;
};
