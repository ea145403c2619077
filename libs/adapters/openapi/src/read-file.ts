import {
  DocumentFileError,
  errorDetails,
  isJsonObject,
  isPorticoError,
  JsonError,
  type ConvertedFile,
  type Json,
  type PorticoError,
  type ReadDocument,
} from '@portico/domain';
import { decodeText } from './decode-text.ts';
import { readDocument } from './read-document.ts';
import { createInvalidBodyError, levelsMax, parseJson, scanText } from './read-json.ts';
import { Violations } from './violations.ts';
import { convertYamlToJson } from './yaml-text.ts';

/** Implements `DocumentReader.readFile` in the current thread. */
export function readFile(content: Uint8Array): ReadDocument {
  const warnings = new Violations();
  const json = toJson(content, warnings);
  const value = parseJson(json);
  const isDocument = mentionsVersion(value);
  try {
    return readDocument(json, value, { extraVersions: ['2.0', '3.2'], notices: warnings });
  } catch (error) {
    throw isPorticoError(error, 'invalid_body') ? toFileError(error, { isParsed: true, isDocument }) : error;
  }
}

/** Implements `DocumentReader.convertToJson` in the current thread. */
export function convertToJson(content: Uint8Array): ConvertedFile {
  const warnings = new Violations();
  return { json: toJson(content, warnings), notices: warnings.first };
}

const mentionsVersion = (value: Json): boolean =>
  isJsonObject(value) && (Object.hasOwn(value, 'openapi') || Object.hasOwn(value, 'swagger'));

/** Returns the file's text as JSON in UTF-8, without surrounding white space. */
function toJson(content: Uint8Array, warnings: Violations): Uint8Array {
  let text = content;
  try {
    text = decodeText(content);
    return looksLikeJson(text) ? parseJsonOrYaml(text, warnings) : parseYaml(text, warnings);
  } catch (error) {
    throw isPorticoError(error, 'invalid_body')
      ? toFileError(error, { isParsed: false, isDocument: mentionsVersionInText(text) })
      : error;
  }
}

const toFileError = (
  { message }: PorticoError,
  state: Pick<DocumentFileError, 'isParsed' | 'isDocument'>,
): DocumentFileError => new DocumentFileError(message.slice(`${errorDetails.invalid_body}: `.length), state);

/** Finds a member name in a text that cannot be parsed. */
const mentionsVersionInText = (text: Uint8Array): boolean =>
  /(?<![\w.-])["']?(?:openapi|swagger)["']?\s*:/.test(Buffer.from(text).toString('latin1'));

/** Whether a text begins as JSON does, and as a flow mapping or sequence of YAML may. */
const looksLikeJson = (text: Uint8Array): boolean => /^\s*[{[]/.test(startOf(text));

const startOf = (text: Uint8Array): string => Buffer.from(text.subarray(0, 1_000)).toString('latin1');

/**
 * Parses a text that may be YAML if it is not JSON: `{openapi: 3.1.0}`. If it is neither, the error is that of the
 * language in which the text begins. JSON with comments is rejected, because YAML would read them as values.
 */
function parseJsonOrYaml(text: Uint8Array, warnings: Violations): Uint8Array {
  try {
    return trimJson(text);
  } catch (error) {
    if (!isPorticoError(error, 'invalid_body') || isAtComment(text, error)) throw error;
    const isAlmostJson = /^\s*(?:\{\s*["}]|\[)/.test(startOf(text));
    try {
      return parseYaml(text, warnings, isAlmostJson);
    } catch (yamlError) {
      throw isAlmostJson && isPorticoError(yamlError, 'invalid_body') ? error : yamlError;
    }
  }
}

/** Whether a text stops being JSON where a comment of JavaScript begins. */
const isAtComment = (text: Uint8Array, { cause }: PorticoError): boolean =>
  cause instanceof JsonError &&
  /^\/[/*]/.test(Buffer.from(text.subarray(cause.offset, cause.offset + 2)).toString('latin1'));

function trimJson(text: Uint8Array): Uint8Array {
  const { start, end } = scanText(text, levelsMax).value;
  return text.subarray(start, end);
}

/** An empty text is null in YAML, which a message about a value would not explain. */
function parseYaml(text: Uint8Array, warnings: Violations, requiresValues = false): Uint8Array {
  if (/^\s*$/.test(startOf(text)) && text.length < 1_000) throw createInvalidBodyError('the file is empty');
  return trimJson(convertYamlToJson(text, warnings, { requiresValues }));
}
