import type { ReadDocument } from '@portico/domain';
import { readDocument } from './read-document.ts';
import { levelsMax, parseJson, scanText, requireUtf8 } from './read-json.ts';
import { convertYamlToJson } from './yaml-text.ts';

/** Implements `DocumentReader.readFile` in the current thread. */
export function readFile(content: Uint8Array, format: 'json' | 'yaml'): ReadDocument {
  const json = format === 'yaml' ? convertYamlToJson(requireUtf8(content)) : requireUtf8(content);
  const { start, end } = scanText(json, levelsMax).value;
  const text = json.subarray(start, end);
  return readDocument(text, parseJson(text));
}
