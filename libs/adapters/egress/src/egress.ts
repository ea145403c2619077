import type { Egress, ErrorCode } from '@portico/domain';
import { createAddressPolicy } from './address-policy.ts';
import { checkRequest } from './checked-request.ts';
import { Connections } from './connections.ts';
import { runExchange } from './exchange.ts';
import { toPorticoError, unreachable } from './failures.ts';
import { createExchangeAdmission } from './in-flight.ts';
import { egressLimits, type EgressLimits } from './limits.ts';
import { limitLookups, lookUp, type Lookup } from './lookup.ts';
import { createSocketOpener } from './open-socket.ts';

export interface EgressSettings {
  /** The networks that the operator allows, from `parseNetworks`. */
  readonly networks: readonly string[];
  /** Resolves names; by default, as every program on this machine does. */
  readonly lookup?: Lookup;
  /** The certificate of an authority, in PEM, that is trusted instead of the usual ones. */
  readonly authority?: string;
  readonly limits?: Partial<EgressLimits>;
  /** Called after each exchange, for metrics. */
  readonly onExchange?: (report: ExchangeReport) => void;
}

export interface ExchangeReport {
  readonly outcome: 'response' | ErrorCode;
  readonly durationMs: number;
}

export interface ClosableEgress extends Egress {
  /** The number of open connections, idle ones included. */
  readonly connections: number;
  /** Closes all connections. Exchanges in flight fail, and so does each later one. */
  close(): Promise<void>;
}

export const createEgress = (settings: EgressSettings): ClosableEgress => {
  const limits = { ...egressLimits, ...settings.limits };
  const openSocket = createSocketOpener({
    policy: createAddressPolicy(settings.networks),
    lookUpName: limitLookups(settings.lookup ?? lookUp, limits.lookupsMax),
    connectMs: limits.connectMs,
    authority: settings.authority,
  });
  const connections = new Connections(openSocket, limits);
  const admit = createExchangeAdmission(limits);
  let isClosed = false;

  const send: Egress['send'] = async (request, options) => {
    const checkedRequest = checkRequest(request);
    if (isClosed) throw unreachable('this process is stopping');
    const release = admit(checkedRequest.origin, options.caller);
    try {
      const connection = connections.acquire(checkedRequest);
      try {
        return await runExchange(connection, checkedRequest, options, limits);
      } finally {
        connections.release(connection);
      }
    } finally {
      release();
    }
  };

  return {
    send: settings.onExchange ? reportEach(send, settings.onExchange) : send,
    get connections() {
      return connections.size;
    },
    close: async () => {
      isClosed = true;
      await connections.discardAll();
    },
  };
};

const reportEach =
  (send: Egress['send'], report: (report: ExchangeReport) => void): Egress['send'] =>
  async (request, options) => {
    const start = performance.now();
    let outcome: ExchangeReport['outcome'] = 'response';
    try {
      return await send(request, options);
    } catch (error) {
      outcome = toPorticoError(error).code;
      throw error;
    } finally {
      report({ outcome, durationMs: performance.now() - start });
    }
  };
