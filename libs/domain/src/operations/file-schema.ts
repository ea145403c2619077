import type { Json } from '../json.ts';
import type { BodyContent } from './request-body.ts';
import { propertiesOf, typesOf, type SchemaNode } from './schema-node.ts';
import type { SchemaReader } from './schema-reader.ts';

/** Whether a member of a multipart body, or each item of a list, is a file. */
export function isFile(reader: SchemaReader, { schema, encoding }: BodyContent, name: string): boolean {
  const node = schema && propertiesOf(reader.read(schema)).get(name);
  if (!node) return false;
  return isFileSchema(reader, node, encoding.get(name)?.contentType ?? null);
}

/** Whether a schema of a multipart body describes a file (OpenAPI 3.0, `format: binary`; 3.1, section 4.8.14.5). */
export function isFileSchema(reader: SchemaReader, node: SchemaNode, contentType: string | null): boolean {
  const schema = reader.read(node);
  const items = schema.nodes.get('items');
  if (typesOf(schema).includes('array') && items) return isFileSchema(reader, items, contentType);
  const textOf = (keyword: string): Json | undefined => schema.values.get(keyword);
  if (textOf('format') === 'binary') return true;
  if (textOf('contentEncoding') !== undefined) return false;
  const mediaType = textOf('contentMediaType');
  if (typeof mediaType === 'string') return !/json/i.test(mediaType);
  const isUndescribed = typesOf(schema).length === 0 && schema.maps.size === 0 && schema.lists.size === 0;
  return isUndescribed && contentType !== null && !/json|^text\/plain/i.test(contentType);
}
