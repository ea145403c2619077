import { isObject, listAt, memberAt, objectAt, stringAt, textsAt, type ObjectValue, type Value } from './json-text.ts';

/** Reads references and schemas of a document. It shares no code with the product, so that the two can be compared. */
export class DocumentSchemas {
  readonly root: Value;
  readonly #ignoresSiblings: boolean;

  constructor(root: Value) {
    this.root = root;
    this.#ignoresSiblings = stringAt(root, 'openapi')?.startsWith('3.0') ?? false;
  }

  /** Returns the end of a chain of references; `external` is the reference that points to another file. */
  resolve(start: Value | undefined): { readonly value: Value | undefined; readonly external: string | null } {
    let value = start;
    for (let steps = 0; steps < 20; steps++) {
      const reference = stringAt(value, '$ref');
      if (reference === null) return { value, external: null };
      if (!reference.startsWith('#')) return { value: undefined, external: reference };
      value = this.#valueAt(reference.slice(1));
    }
    return { value: undefined, external: null };
  }

  #valueAt(pointer: string): Value | undefined {
    const tokens = decode(pointer).split('/').slice(1);
    return tokens
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<Value | undefined>(
        (value, token) => (Array.isArray(value) ? (value as readonly Value[])[Number(token)] : memberAt(value, token)),
        this.root,
      );
  }

  /**
   * Returns all schemas that a value has to satisfy: the schema, its reference, and the parts of its `allOf`; with other
   * keywords, also its alternatives.
   */
  conjunctsOf(schema: Value | undefined, keywords: readonly string[] = ['allOf']): readonly ObjectValue[] {
    return this.#expand(schema, keywords).schemas;
  }

  #expand(start: Value | undefined, keywords: readonly string[]) {
    const [schemas, references] = [new Set<ObjectValue>(), new Set<string>()];
    const add = (value: Value | undefined): void => {
      if (!isObject(value) || schemas.has(value)) return;
      const reference = stringAt(value, '$ref');
      if (reference !== null && !references.has(reference)) {
        references.add(reference);
        if (reference.startsWith('#')) add(this.#valueAt(reference.slice(1)));
      }
      if (reference !== null && this.#ignoresSiblings) return;
      schemas.add(value);
      for (const keyword of keywords) for (const part of listAt(value, keyword)) add(part);
    };
    add(start);
    return { schemas: [...schemas], isExternal: [...references].some((reference) => !reference.startsWith('#')) };
  }

  declarationsOf(schemas: readonly ObjectValue[], member: string): readonly Value[] {
    return schemas.flatMap((schema) => memberAt(memberAt(schema, 'properties'), member) ?? []);
  }

  isReadOnly(schema: Value): boolean {
    return this.conjunctsOf(schema).some((part) => memberAt(part, 'readOnly') === true);
  }

  /** Returns the names of the members that a request must have. Names that no part declares are omitted: typing errors. */
  requiredOf(schema: Value | undefined): readonly string[] {
    const parts = this.conjunctsOf(schema, ['allOf', 'anyOf', 'oneOf']);
    const names = new Set(this.conjunctsOf(schema).flatMap((part) => textsAt(part, 'required')));
    return [...names].filter((name) => {
      const declarations = this.declarationsOf(parts, name);
      return declarations.length > 0 && !declarations.some((declaration) => this.isReadOnly(declaration));
    });
  }

  /** Returns the paths of the required members of the first two levels. */
  requiredPathsOf(schema: Value | undefined): readonly (readonly string[])[] {
    const conjuncts = this.conjunctsOf(schema);
    return this.requiredOf(schema).flatMap((name) => {
      const inner = this.declarationsOf(conjuncts, name).flatMap((declaration) => this.requiredOf(declaration));
      return [[name], ...[...new Set(inner)].map((innerName) => [name, innerName])];
    });
  }

  /** Whether the schema, or a member of its first level, is in another file. */
  leadsOutside(schema: Value | undefined): boolean {
    const { schemas, isExternal } = this.#expand(schema, ['allOf']);
    const members = schemas.flatMap((part) => Object.values(objectAt(part, 'properties') ?? {}));
    return isExternal || members.some((member) => this.#expand(member, ['allOf']).isExternal);
  }
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
