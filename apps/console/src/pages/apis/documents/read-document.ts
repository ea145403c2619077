import { faultOffset, placeAt, type Place } from './json-fault.ts';
import { jsonOfYaml, YamlFault } from './yaml-to-json.ts';

/** What a file turned out to be. */
export type FileRead =
  | {
      readonly kind: 'document';
      /** Its `info.title`, as it stands there. */
      readonly title: string | null;
      /** Its JSON; of a JSON file the very text. */
      readonly json: Blob;
    }
  /** Nothing in it says that it is meant as an OpenAPI document. */
  | { readonly kind: 'other' }
  | {
      readonly kind: 'broken';
      readonly because: 'unreadable' | 'utf-8' | 'json' | 'yaml' | 'deep';
      readonly detail: string;
      readonly place: Place | null;
    };

/** Reads a file without the page's own thread: this runs in the worker. */
export const readDocument = async (file: File): Promise<FileRead> => {
  const text = await textOf(file);
  if (typeof text !== 'string') return text;
  const isYaml = /\.ya?ml$/i.test(file.name);
  try {
    return isYaml ? readYaml(text) : readJson(text);
  } catch (error) {
    // The readers recurse.
    if (error instanceof RangeError) return { kind: 'broken', because: 'deep', detail: '', place: null };
    throw error;
  }
};

const textOf = async (file: File): Promise<string | FileRead> => {
  const broken = (because: 'unreadable' | 'utf-8'): FileRead => ({ kind: 'broken', because, detail: '', place: null });
  const bytes = await file.arrayBuffer().catch(() => null);
  if (!bytes) return broken('unreadable');
  try {
    // It leaves a byte order mark out, which some editors write.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return broken('utf-8');
  }
};

const readJson = (text: string): FileRead => {
  try {
    const value: unknown = JSON.parse(text);
    const isMeant = typeof value === 'object' && value !== null && ('openapi' in value || 'swagger' in value);
    return isMeant ? { kind: 'document', title: titleOf(value), json: new Blob([text]) } : { kind: 'other' };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (!/"(?:openapi|swagger)"\s*:/.test(text)) return { kind: 'other' };
    return { kind: 'broken', because: 'json', detail: '', place: placeAt(text, faultOffset(text)) };
  }
};

const readYaml = (text: string): FileRead => {
  if (!/^["']?(?:openapi|swagger)["']?\s*:/m.test(text)) return { kind: 'other' };
  try {
    const { json, value } = jsonOfYaml(text);
    const info = value instanceof Map ? (value.get('info') as unknown) : null;
    const title: unknown = info instanceof Map ? info.get('title') : null;
    return { kind: 'document', title: typeof title === 'string' ? title : null, json: new Blob([json]) };
  } catch (error) {
    if (error instanceof YamlFault)
      return { kind: 'broken', because: 'yaml', detail: error.message, place: error.place };
    if (error instanceof ReferenceError) return { kind: 'broken', because: 'yaml', detail: error.message, place: null };
    throw error;
  }
};

const titleOf = (document: object): string | null => {
  const { info } = document as { readonly info?: { readonly title?: unknown } | null };
  return typeof info?.title === 'string' ? info.title : null;
};
