import type { DocumentOperation } from '../documents/document-operations.ts';
import { memberOf } from '../documents/document-value.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { toPlainLine } from '../line.ts';
import { contentOf, exampleOf, isFormMediaType, isJsonMediaType, isMultipart, textAt } from './operation-parts.ts';
import type { ParameterStyle } from './parameters.ts';
import { resolveObject } from './references.ts';
import { createNode, typesOf, type SchemaNode } from './schema-node.ts';
import type { SchemaReader } from './schema-reader.ts';

/** How one member of a form or multipart body is written (OpenAPI 3.1, section 4.8.15). */
export interface Encoding {
  readonly contentType: string | null;
  /** Null if the document states neither `style` nor `explode`. */
  readonly style: ParameterStyle | null;
  readonly explode: boolean;
  readonly allowReserved: boolean;
}

export interface RequestBody {
  readonly object: JsonObject;
  readonly required: boolean;
  readonly description: string | null;
  /** Null if the document describes no content. */
  readonly content: BodyContent | null;
}

/** The content of a body in the media type that is sent. */
export interface BodyContent {
  /** `raw`: the body is a text or a file in its media type. */
  readonly kind: 'json' | 'form' | 'multipart' | 'raw';
  /** The header `Content-Type`; never a range. */
  readonly contentType: string;
  readonly otherMediaTypes: readonly string[];
  readonly schema: SchemaNode | null;
  readonly encoding: ReadonlyMap<string, Encoding>;
  readonly example: Json | undefined;
}

export function requestBodyOf(
  document: Json,
  { operation }: DocumentOperation,
  reader: SchemaReader,
): RequestBody | null {
  const object = resolveObject(document, memberOf(operation, 'requestBody'));
  if (!object) return null;
  return {
    object,
    required: memberOf(object, 'required') === true,
    description: textAt(object, 'description'),
    content: bodyContentOf(document, object, reader),
  };
}

function bodyContentOf(document: Json, object: JsonObject, reader: SchemaReader): BodyContent | null {
  const content = contentOf(object);
  if (!content) return null;
  const value = memberOf(content.object, 'schema');
  const schema = value === undefined ? null : createNode(value);
  const contentType = toContentType(content.mediaType, schema, reader);
  return {
    kind: kindOf(contentType),
    contentType,
    otherMediaTypes: content.otherMediaTypes,
    schema,
    encoding: encodingOf(content.object),
    example: exampleOf(document, content.object),
  };
}

const kindOf = (contentType: string): BodyContent['kind'] =>
  isJsonMediaType(contentType)
    ? 'json'
    : isFormMediaType(contentType)
      ? 'form'
      : isMultipart(contentType)
        ? 'multipart'
        : 'raw';

/** Returns a media type that can be sent: the document's, or one in its range. */
function toContentType(mediaType: string, schema: SchemaNode | null, reader: SchemaReader): string {
  const line = toPlainLine(mediaType);
  if (isMultipart(line)) return line.includes('*') ? 'multipart/form-data' : line.replace(/;\s*boundary=[^;]*/i, '');
  if (!line.includes('*')) return line;
  if (/^text\//i.test(line)) return 'text/plain';
  const isText = schema && typesOf(reader.read(schema)).every((type) => type === 'string');
  const isJson = isJsonMediaType(line) || (/^(\*|application)\/\*/i.test(line) && !isText);
  return isJson ? 'application/json' : 'application/octet-stream';
}

const styles: readonly string[] = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] satisfies ParameterStyle[];

function encodingOf(content: JsonObject): ReadonlyMap<string, Encoding> {
  const encodings = memberOf(content, 'encoding');
  const entries = Object.entries(isJsonObject(encodings) ? encodings : {}).flatMap(([name, value]) => {
    if (!isJsonObject(value)) return [];
    const [style, explode] = [memberOf(value, 'style'), memberOf(value, 'explode')];
    const validStyle = typeof style === 'string' && styles.includes(style) ? (style as ParameterStyle) : null;
    const effectiveStyle = validStyle ?? (typeof explode === 'boolean' ? 'form' : null);
    const encoding: Encoding = {
      contentType: textAt(value, 'contentType'),
      style: effectiveStyle,
      explode: typeof explode === 'boolean' ? explode : (effectiveStyle ?? 'form') === 'form',
      allowReserved: memberOf(value, 'allowReserved') === true,
    };
    return [[name, encoding] as const];
  });
  return new Map(entries);
}
