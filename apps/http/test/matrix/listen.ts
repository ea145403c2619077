import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { DocumentReader, Ports, Settings, UseCases } from '@portico/domain';
import { pino } from 'pino';
import {
  createHttpApp,
  createHttpServer,
  type HttpSettings,
  type LocalIssuerDocuments,
  type StartTimer,
} from '../../src/index.ts';

/** The parts of the service that a test can replace. */
export interface StartOptions {
  readonly ports?: (ports: Ports) => Partial<Ports>;
  readonly settings?: Partial<Settings>;
  readonly startTimer?: StartTimer;
}

interface ListenOptions extends Pick<StartOptions, 'startTimer'> {
  readonly useCases: UseCases;
  readonly documents: DocumentReader;
  readonly settings: HttpSettings;
  readonly localIssuer: LocalIssuerDocuments | null;
}

/** Starts a service with these use cases on a free port of the loopback interface. */
export const listen = async (
  options: ListenOptions,
): Promise<{ readonly address: string; readonly close: () => Promise<void> }> => {
  const server = createHttpServer(createHttpApp({ ...options, logger: pino({ level: 'silent' }) }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    close: () => server.drain({ noticeMs: 0, timeoutMs: 1_000 }),
  };
};
