import { createHash, randomBytes } from 'node:crypto';
import { embeddingDimension } from '@portico/domain';
import { QdrantFailure } from './qdrant-failure.ts';
import type { QdrantServer } from './qdrant-server.ts';
import type { Shape } from './read-answer.ts';

/** Older unused collections were left behind by a crash; younger ones may still be filling. */
const unfinishedMs = 3_600_000;

/** The first release with conditional writes. */
const leastVersion = [1, 16] as const;

/** The alias of a model: the installation's name, and enough of a digest to tell its models apart. */
export const aliasOf = (installation: string, modelId: string): string =>
  `${installation}-${createHash('sha256').update(modelId).digest('hex').slice(0, 8)}`;

export const checkVersion = async (server: Pick<QdrantServer, 'version'>): Promise<void> => {
  const version = await server.version();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < leastVersion[0] || (major === leastVersion[0] && minor < leastVersion[1])) {
    throw new QdrantFailure('refused', `Qdrant ${version} is too old: ${leastVersion.join('.')} or newer is needed`);
  }
};

/** All collections of the installation, of every model: those in use, and those being filled or left behind. */
export const collectionsOf = async (
  server: QdrantServer,
  installation: string,
): Promise<{ readonly inUse: readonly string[]; readonly others: readonly string[] }> => {
  const [aliases, names] = [await server.aliases(), await server.collections()];
  const [isAlias, isName] = ['', '-g\\d+-[0-9a-f]{4}'].map((end) => {
    const pattern = new RegExp(`^${installation}(-[0-9a-f]{8})?${end}$`);
    return (text: string) => pattern.test(text);
  }) as [(text: string) => boolean, (text: string) => boolean];
  const inUse = new Set([...aliases].filter(([alias]) => isAlias(alias)).map(([, name]) => name));
  return { inUse: [...inUse], others: names.filter((name) => isName(name) && !inUse.has(name)) };
};

/** Why a collection of this shape cannot be used, or null. */
export const unfitnessOf = ({ size, distance }: Shape): string | null =>
  size === embeddingDimension && distance === 'Cosine'
    ? null
    : `its vectors have ${String(size)} dimensions with ${String(distance)}, not ${embeddingDimension} with Cosine`;

/**
 * The collections of one model. Each is named after the model's alias and its time of creation, and the alias points to
 * the one in use. Several processes may each fill one at the same time: the newest wins. The version before had one
 * alias for the installation, whatever the model. If that one's collection holds vectors of this model only, both
 * versions share it, until the model is forgotten or the collection rebuilt.
 */
export class Generations {
  readonly #server: QdrantServer;
  readonly #modelId: string;
  readonly #alias: string;
  readonly #sharedAlias: string;

  constructor(server: QdrantServer, installation: string, modelId: string) {
    this.#server = server;
    this.#modelId = modelId;
    this.#alias = aliasOf(installation, modelId);
    this.#sharedAlias = installation;
  }

  /** The collection in use, or null. */
  async current(): Promise<string | null> {
    const aliases = await this.#server.aliases();
    return aliases.get(this.#alias) ?? this.#shared(aliases.get(this.#sharedAlias) ?? null);
  }

  /** Why the collection cannot be used, or null. */
  async unfitness(name: string): Promise<string | null> {
    return unfitnessOf(await this.#server.shape(name));
  }

  /** Creates a collection, not in use yet. It is newer than all existing ones, whatever other machines' clocks say. */
  async create(): Promise<string> {
    const latest = Math.max(0, ...(await this.#own()).map((name) => this.#madeAt(name)));
    const name = `${this.#alias}-g${Math.max(Date.now(), latest + 1)}-${randomBytes(2).toString('hex')}`;
    await this.#server.create(name);
    return name;
  }

  /** Puts it into use, also for the version before if both share the current one; unless the current one is newer. */
  async use(name: string): Promise<void> {
    const aliases = await this.#server.aliases();
    const [current, shared] = [aliases.get(this.#alias), aliases.get(this.#sharedAlias)];
    if (current !== undefined && this.#isOlder(name, current)) {
      throw new QdrantFailure('missing', `a newer collection is in use: ${current}`);
    }
    const isShared = current !== undefined && current === shared;
    await this.#server.pointAliases(isShared ? [this.#alias, this.#sharedAlias] : [this.#alias], name);
    if (isShared && !current.startsWith(`${this.#alias}-g`)) await this.#server.drop(current);
  }

  /** Deletes collections older than the one in use, and those that were never finished. */
  async clear(): Promise<void> {
    const aliases = await this.#server.aliases();
    const [current, inUse] = [aliases.get(this.#alias), new Set(aliases.values())];
    for (const name of await this.#own()) {
      const isUnfinished = this.#madeAt(name) < Date.now() - unfinishedMs;
      if (inUse.has(name)) continue;
      if (isUnfinished || (current !== undefined && this.#isOlder(name, current))) await this.#server.drop(name);
    }
  }

  /** Deletes all collections of the model, and that of the version before if it holds the model's vectors. */
  async drop(): Promise<void> {
    const aliases = await this.#server.aliases();
    const [current, shared] = [aliases.get(this.#alias), aliases.get(this.#sharedAlias)];
    const dropped = new Set(await this.#own());
    if (current !== undefined) dropped.add(current);
    const others = [...aliases].filter(([alias]) => ![this.#alias, this.#sharedAlias].includes(alias));
    const isElses = others.some(([, name]) => name === shared);
    if (shared !== undefined && !isElses && (await this.#server.holds(shared, this.#modelId))) dropped.add(shared);
    for (const name of dropped) await this.#server.drop(name);
  }

  /** Shares the collection of the version before, if it holds vectors of this model, and of no other. */
  async #shared(name: string | null): Promise<string | null> {
    if (name === null || (await this.unfitness(name)) !== null) return null;
    if (!(await this.#server.holds(name, this.#modelId))) return null;
    if (await this.#server.holdsOthers(name, this.#modelId)) return null;
    await this.#server.pointAliases([this.#alias], name);
    return name;
  }

  async #own(): Promise<readonly string[]> {
    return (await this.#server.collections()).filter((name) => !Number.isNaN(this.#madeAt(name)));
  }

  /** `NaN` for a foreign collection, which compares as neither older nor newer. */
  #madeAt(name: string): number {
    return Number(new RegExp(`^${this.#alias}-g(\\d+)-[0-9a-f]{4}$`).exec(name)?.[1]);
  }

  /** Ties within a millisecond are broken the same way by every process. */
  #isOlder(name: string, other: string): boolean {
    const [at, otherAt] = [this.#madeAt(name), this.#madeAt(other)];
    return at < otherAt || (at === otherAt && name < other);
  }
}
