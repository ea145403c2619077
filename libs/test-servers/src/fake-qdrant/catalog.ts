import { Collection } from './collection.ts';
import { listOf, objectOf, textOf, type Json, type JsonObject } from './json-shapes.ts';
import { createNotFoundError, RequestError, createWrongInputError } from './request-error.ts';
import { readVectorConfigs } from './vectors.ts';

/**
 * All collections, and the aliases that point to them. Requests about points accept a collection's name or an alias.
 */
export class Catalog {
  readonly #collections = new Map<string, Collection>();
  readonly #aliases = new Map<string, string>();

  get names(): readonly string[] {
    return [...this.#collections.keys()];
  }

  get aliases(): readonly { readonly alias_name: string; readonly collection_name: string }[] {
    return [...this.#aliases].map(([alias_name, collection_name]) => ({ alias_name, collection_name }));
  }

  has(name: string): boolean {
    return this.#collections.has(this.#aliases.get(name) ?? name);
  }

  get(name: string): Collection {
    const collection = this.#collections.get(this.#aliases.get(name) ?? name);
    if (!collection) throw createNotFoundError(name);
    return collection;
  }

  create(name: string, body: JsonObject): void {
    const vectors = readVectorConfigs(body);
    if (this.#collections.has(name)) throw new RequestError(409, `Wrong input: Collection \`${name}\` already exists!`);
    if (this.#aliases.has(name))
      throw createWrongInputError(`Can't create collection with name ${name}. Alias with the same name already exists`);
    const metadata = body.metadata === undefined || body.metadata === null ? null : objectOf(body.metadata, 'metadata');
    this.#collections.set(name, new Collection(vectors, metadata));
  }

  /** Deletes a collection and its aliases. Returns whether the collection existed. */
  delete(name: string): boolean {
    for (const [alias, target] of this.#aliases) if (target === name) this.#aliases.delete(alias);
    return this.#collections.delete(name);
  }

  clear(): void {
    this.#collections.clear();
    this.#aliases.clear();
  }

  /** Performs the actions one after another. If one fails, the actions before it are not undone. */
  changeAliases(actions: Json | undefined): void {
    for (const item of listOf(actions, 'actions')) {
      const action = objectOf(item, 'an action');
      if (action.delete_alias !== undefined) {
        this.#aliases.delete(textOf(objectOf(action.delete_alias, 'an alias').alias_name, 'alias_name'));
      } else {
        const creation = objectOf(action.create_alias, 'an action');
        this.#createAlias(
          textOf(creation.alias_name, 'alias_name'),
          textOf(creation.collection_name, 'collection_name'),
        );
      }
    }
  }

  #createAlias(alias: string, collection: string): void {
    if (!this.#collections.has(collection)) throw createNotFoundError(collection);
    if (this.#collections.has(alias))
      throw new RequestError(409, `Wrong input: Collection \`${alias}\` already exists!`);
    this.#aliases.set(alias, collection);
  }
}
