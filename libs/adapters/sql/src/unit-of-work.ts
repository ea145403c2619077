import type { EntityManager } from '@mikro-orm/core';
import type { Sql, Transaction } from './sql.ts';

/** Statements of one transaction; an entity manager is made where one is asked for. */
export class UnitOfWork implements Transaction {
  readonly all: Sql['all'];
  readonly first: Sql['first'];
  readonly run: Sql['run'];
  readonly runEach: Sql['runEach'];
  readonly #newEntityManager: () => EntityManager;
  #em: EntityManager | null = null;

  constructor(sql: Sql, newEntityManager: () => EntityManager) {
    this.#newEntityManager = newEntityManager;
    this.all = (text, parameters) => sql.all(text, parameters);
    this.first = (text, parameters) => sql.first(text, parameters);
    this.run = (text, parameters) => sql.run(text, parameters);
    this.runEach = (text, parameters) => sql.runEach(text, parameters);
  }

  get em(): EntityManager {
    this.#em ??= this.#newEntityManager();
    return this.#em;
  }

  async flush(): Promise<void> {
    await this.#em?.flush();
  }
}
