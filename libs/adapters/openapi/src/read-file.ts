import type { ReadDocument } from '@portico/domain';
import { readDocument } from './read-document.ts';
import { levelsMax, parsed, scanned, utf8 } from './read-json.ts';
import { jsonOfYaml } from './yaml-text.ts';

/** Implements `DocumentReader.readFile`, in this thread. */
export function readFile(content: Uint8Array, format: 'json' | 'yaml'): ReadDocument {
  const json = format === 'yaml' ? jsonOfYaml(utf8(content)) : utf8(content);
  const { start, end } = scanned(json, levelsMax).value;
  const text = json.subarray(start, end);
  return readDocument(text, parsed(text));
}
