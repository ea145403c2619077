import type { DocumentOperation } from '../documents/document-operations.ts';
import { memberOf } from '../documents/document-value.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { exampleOf, listOf, referenceOf, textAt } from './operation-parts.ts';
import { resolveObject } from './references.ts';
import { createNode, type SchemaNode } from './schema-node.ts';

export type ParameterLocation = 'path' | 'query' | 'header' | 'cookie';

/** How an array or an object is written (OpenAPI 3.1, section 4.8.12.3). */
export type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';

export interface Parameter {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly required: boolean;
  readonly description: string | null;
  readonly deprecated: boolean;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** The media type of the value, which is then written as one text; null if `style` applies. */
  readonly contentType: string | null;
  readonly schema: SchemaNode | null;
  readonly example: Json | undefined;
}

const locations: readonly string[] = ['path', 'query', 'header', 'cookie'];
const stylesByLocation: Readonly<Record<ParameterLocation, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

export const defaultStyleOf = (location: ParameterLocation): ParameterStyle => stylesByLocation[location][0] ?? 'form';

/**
 * Returns the parameters of an operation and of its path, required ones first; those of the operation override those of
 * the path with the same name and location. Each placeholder of the path is a parameter, even if the document does not
 * declare it. Values that are not parameters are omitted.
 */
export function parametersOf(document: Json, { pathItem, operation, path }: DocumentOperation): Parameter[] {
  const parameters = new Map<string, Parameter>();
  for (const value of [...listOf(pathItem, 'parameters'), ...listOf(operation, 'parameters')]) {
    const object = resolveObject(document, value);
    const [name, location] = [memberOf(object, 'name'), memberOf(object, 'in')];
    if (!object || typeof name !== 'string' || !isParameterLocation(location)) continue;
    parameters.set(`${location} ${name}`, parameterOf(document, object, name, location));
  }
  for (const name of placeholdersOf(path))
    if (!parameters.has(`path ${name}`))
      parameters.set(`path ${name}`, parameterOf(document, { schema: { type: 'string' } }, name, 'path'));
  return [...parameters.values()].sort((a, b) => Number(b.required) - Number(a.required));
}

/** Returns the names of a path's placeholders, such as `id` of `/pets/{id}`. */
export const placeholdersOf = (path: string): readonly string[] => [
  ...new Set([...path.replace(/#.*$/s, '').matchAll(/\{([^{}/]{1,200})\}/g)].map(([, name = '']) => name)),
];

const isParameterLocation = (value: Json | undefined): value is ParameterLocation =>
  typeof value === 'string' && locations.includes(value);

function parameterOf(document: Json, object: JsonObject, name: string, location: ParameterLocation): Parameter {
  const content = memberOf(object, 'content');
  const [contentType] = isJsonObject(content) ? Object.keys(content) : [];
  const mediaType = contentType === undefined ? undefined : memberOf(content, contentType);
  const declaredStyle = memberOf(object, 'style');
  const style = stylesByLocation[location].find((candidate) => candidate === declaredStyle) ?? defaultStyleOf(location);
  const explode = memberOf(object, 'explode');
  const schema = memberOf(object, 'schema') ?? memberOf(mediaType, 'schema');
  return {
    name,
    in: location,
    required: location === 'path' || memberOf(object, 'required') === true,
    description: textAt(object, 'description'),
    deprecated: memberOf(object, 'deprecated') === true,
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form',
    allowReserved: location === 'query' && memberOf(object, 'allowReserved') === true,
    contentType: contentType ?? null,
    schema: schema === undefined ? null : createNode(schema),
    example: exampleOf(document, object) ?? (isJsonObject(mediaType) ? exampleOf(document, mediaType) : undefined),
  };
}

/** Returns the references in parameters that point outside the document, or have no target. */
export const listExternalParameters = (document: Json, { pathItem, operation }: DocumentOperation): string[] =>
  [...listOf(pathItem, 'parameters'), ...listOf(operation, 'parameters')].flatMap((value) => {
    const object = resolveObject(document, value);
    return (object && referenceOf(object)) ?? [];
  });
