import 'reflect-metadata';
import { Container, type ServiceIdentifier } from 'inversify';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Duties } from '../process-role.ts';
import { closeAll, type Closer } from './close-all.ts';
import { prepareDataDir } from './data-dir.ts';
import { Closable, type Module, type PartName, type Parts, type Provide } from './parts.ts';

/** The parts that the modules provide. Each part is created once, when it is first requested. */
export interface OpenedContainer {
  readonly get: <Name extends PartName>(name: Name) => Promise<Parts[Name]>;
  /** Closes everything in reverse order of opening. */
  readonly close: () => Promise<void>;
}

/** Creates the data folder and lets the modules provide their parts. */
export const openContainer = (
  config: Config,
  duties: Duties,
  logger: Logger,
  modules: readonly Module[],
): OpenedContainer => {
  prepareDataDir(config);
  const container = new Container();
  const closers: Closer[] = [];
  const provide = provideInto(container, closers);
  provide('config', [], () => config);
  provide('duties', [], () => duties);
  provide('logger', [], () => logger);
  for (const registerModule of modules) registerModule(provide);
  return { get: (name) => container.getAsync(identifierOf(name)), close: () => closeAll(closers, logger) };
};

const identifierOf = <Name extends PartName>(name: Name): ServiceIdentifier<Parts[Name]> => `portico:${name}`;

/**
 * Binds parts into an inversify container as singletons. Pushes the closer of each part onto `closers` when it is
 * created.
 */
const provideInto =
  (container: Container, closers: Closer[]): Provide =>
  (name, needs, create) => {
    const build = async (...dependencies: never[]) => {
      const part = await (create as (...dependencies: never[]) => unknown)(...dependencies);
      if (!(part instanceof Closable)) return part;
      closers.push(part.close);
      return part.value as unknown;
    };
    container
      .bind(identifierOf(name))
      .toResolvedValue(build as never, needs.map(identifierOf) as never)
      .inSingletonScope();
  };
