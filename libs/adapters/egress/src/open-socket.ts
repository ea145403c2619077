import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AddressPolicy } from './address-policy.ts';
import { refused, timedOut, toPorticoError, unreachable } from './failures.ts';
import { parseAddress } from './ip-address.ts';

export interface Target {
  readonly hostname: string;
  readonly port: number;
  readonly hasTls: boolean;
}

export interface SocketSettings {
  readonly policy: AddressPolicy;
  readonly lookUpName: (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;
  readonly connectMs: number;
  /** Trusted instead of the usual authorities, in PEM; only for tests. */
  readonly authority?: string | undefined;
}

/** Connects to a checked address of the target. Throws a `PorticoError`. */
export type OpenSocket = (target: Target, signal: AbortSignal) => Promise<Socket>;

export const createSocketOpener =
  (settings: SocketSettings): OpenSocket =>
  async (target, signal) => {
    const deadline = new AbortController();
    const abort = (): void => deadline.abort(signal.reason);
    signal.addEventListener('abort', abort);
    const timer = setTimeout(
      () => deadline.abort(timedOut('it did not accept the connection in time: check the network, and that it runs')),
      settings.connectMs,
    );
    try {
      if (signal.aborted) throw signal.reason;
      return await connectChecked(settings, target, deadline.signal);
    } catch (error) {
      throw toPorticoError(error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  };

const connectChecked = async (settings: SocketSettings, target: Target, signal: AbortSignal): Promise<Socket> => {
  const { policy, lookUpName, authority } = settings;
  const addresses = isIP(target.hostname)
    ? [target.hostname]
    : await untilAborted(lookUpName(target.hostname, signal), signal);
  checkAddresses(addresses, policy, target.hasTls);
  const socket = startConnection(target, addresses, authority);
  try {
    await untilConnected(socket, target.hasTls, signal);
    // The socket itself has the last word, should the addresses that were checked not be those that it used.
    checkRemoteAddress(socket.remoteAddress, addresses, policy, target.hasTls);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
};

/** Throws if one of the addresses is refused: a name that has both kinds is an attack, or a mistake. */
export const checkAddresses = (addresses: readonly string[], policy: AddressPolicy, hasTls: boolean): void => {
  if (addresses.length === 0) throw unreachable('its name has no address: check the address of the API');
  const refusals = addresses.map((address) => policy(address, hasTls));
  const refusal = refusals.find((reason) => reason !== null);
  if (refusal) throw refused(refusal);
};

/** Throws if a connection does not lead to one of the checked addresses. */
export const checkRemoteAddress = (
  remoteAddress: string | undefined,
  addresses: readonly string[],
  policy: AddressPolicy,
  hasTls: boolean,
): void => {
  if (remoteAddress === undefined) throw unreachable('it closed the connection');
  checkAddresses([remoteAddress], policy, hasTls);
  const remoteBits = bitsOf(remoteAddress);
  if (!addresses.some((address) => bitsOf(address) === remoteBits)) {
    throw unreachable('the connection led to a different address than the one that was checked');
  }
};

/** Returns the same number for an IPv4 address and its mapped form, because operating systems report either. */
const bitsOf = (text: string): bigint | null => {
  const address = parseAddress(text);
  return address && (address.bits >> 32n === 0xffffn ? address.bits & 0xffff_ffffn : address.bits);
};

const startConnection = (
  { hostname, port, hasTls }: Target,
  addresses: readonly string[],
  authority: string | undefined,
): Socket => {
  const options = {
    ...{ host: hostname, port, lookup: pinAddresses(addresses), noDelay: true },
    // If one address does not respond, the next one is tried; Node's default of 250 ms is too short for distant servers.
    ...{ autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1_000 },
  };
  if (!hasTls) return connectTcp(options);
  return connectTls({
    ...options,
    // An address is no server name (RFC 6066, section 3); Node then verifies the certificate for the address.
    servername: isIP(hostname) ? '' : hostname.replace(/\.$/, ''),
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(authority === undefined ? {} : { ca: authority }),
  });
};

/** Returns a look-up that only returns these addresses. Node does not call it for a host that is an address. */
export const pinAddresses =
  (addresses: readonly string[]): LookupFunction =>
  (_hostname, { all }, callback) => {
    const entries = addresses.map((address) => ({ address, family: isIP(address) }));
    const [{ address, family } = { address: '', family: 0 }] = entries;
    if (all) callback(null, entries);
    else callback(null, address, family);
  };

const untilConnected = (socket: Socket, hasTls: boolean, signal: AbortSignal): Promise<void> =>
  untilAborted(
    new Promise((resolve, reject) => {
      socket.once(hasTls ? 'secureConnect' : 'connect', resolve);
      // Stays for the whole life of the socket: an error without a listener would end the process.
      socket.on('error', reject);
      socket.once('close', () => reject(unreachable('it closed the connection')));
    }),
    signal,
  );

const untilAborted = async <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};
