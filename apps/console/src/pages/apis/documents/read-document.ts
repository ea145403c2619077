import { findSyntaxErrorOffset, positionAt, type Position } from './find-syntax-error-offset.ts';
import { convertYamlToJson, YamlError } from './yaml-to-json.ts';

/** The result of reading a file. */
export type FileRead =
  | {
      readonly kind: 'document';
      /** The document's `info.title`, unchanged. */
      readonly title: string | null;
      /** The document as JSON; for a JSON file, the unchanged text. */
      readonly json: Blob;
    }
  /** The file does not claim to be an OpenAPI document. */
  | { readonly kind: 'other' }
  | {
      readonly kind: 'broken';
      readonly reason: 'unreadable' | 'utf-8' | 'json' | 'yaml' | 'deep';
      readonly detail: string;
      readonly position: Position | null;
    };

/** Reads a file. Runs in the worker, not in the page's thread. */
export const readDocument = async (file: File): Promise<FileRead> => {
  const text = await textOf(file);
  if (typeof text !== 'string') return text;
  const isYaml = /\.ya?ml$/i.test(file.name);
  try {
    return isYaml ? readYaml(text) : readJson(text);
  } catch (error) {
    // The parsers are recursive, so deep nesting exceeds the call stack.
    if (error instanceof RangeError) return { kind: 'broken', reason: 'deep', detail: '', position: null };
    throw error;
  }
};

const textOf = async (file: File): Promise<string | FileRead> => {
  const createBrokenFile = (reason: 'unreadable' | 'utf-8'): FileRead => ({
    kind: 'broken',
    reason,
    detail: '',
    position: null,
  });
  const bytes = await file.arrayBuffer().catch(() => null);
  if (!bytes) return createBrokenFile('unreadable');
  try {
    // The decoder also removes a byte order mark, which some editors write.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return createBrokenFile('utf-8');
  }
};

const readJson = (text: string): FileRead => {
  try {
    const value: unknown = JSON.parse(text);
    const isOpenApi = typeof value === 'object' && value !== null && ('openapi' in value || 'swagger' in value);
    return isOpenApi ? { kind: 'document', title: titleOf(value), json: new Blob([text]) } : { kind: 'other' };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (!/"(?:openapi|swagger)"\s*:/.test(text)) return { kind: 'other' };
    return { kind: 'broken', reason: 'json', detail: '', position: positionAt(text, findSyntaxErrorOffset(text)) };
  }
};

const readYaml = (text: string): FileRead => {
  if (!/^["']?(?:openapi|swagger)["']?\s*:/m.test(text)) return { kind: 'other' };
  try {
    const { json, value } = convertYamlToJson(text);
    const info = value instanceof Map ? (value.get('info') as unknown) : null;
    const title: unknown = info instanceof Map ? info.get('title') : null;
    return { kind: 'document', title: typeof title === 'string' ? title : null, json: new Blob([json]) };
  } catch (error) {
    if (error instanceof YamlError)
      return { kind: 'broken', reason: 'yaml', detail: error.message, position: error.position };
    if (error instanceof ReferenceError)
      return { kind: 'broken', reason: 'yaml', detail: error.message, position: null };
    throw error;
  }
};

const titleOf = (document: object): string | null => {
  const { info } = document as { readonly info?: { readonly title?: unknown } | null };
  return typeof info?.title === 'string' ? info.title : null;
};
