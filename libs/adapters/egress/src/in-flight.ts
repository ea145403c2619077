import { PorticoError } from '@portico/domain';
import { retryAfterSeconds } from './limits.ts';

interface InFlightMaxima {
  readonly inFlightPerOriginMax: number;
  readonly inFlightPerCallerMax: number;
}

/** Admits an exchange, and returns a function that ends it. Throws `rate_limited` if too many are in flight. */
export type ExchangeAdmission = (origin: string, caller: string) => () => void;

export const createExchangeAdmission = ({
  inFlightPerOriginMax,
  inFlightPerCallerMax,
}: InFlightMaxima): ExchangeAdmission => {
  const [origins, callers] = [new Map<string, number>(), new Map<string, number>()];
  return (origin, caller) => {
    if (countOf(callers, caller) >= inFlightPerCallerMax) {
      throw rateLimited(`${inFlightPerCallerMax} calls of this caller are in flight`);
    }
    if (countOf(origins, origin) >= inFlightPerOriginMax) {
      throw rateLimited(`${inFlightPerOriginMax} calls to this API are in flight`);
    }
    add(origins, origin, 1);
    add(callers, caller, 1);
    return () => {
      add(origins, origin, -1);
      add(callers, caller, -1);
    };
  };
};

const rateLimited = (reason: string): PorticoError => new PorticoError('rate_limited', { reason, retryAfterSeconds });

const countOf = (counts: ReadonlyMap<string, number>, key: string): number => counts.get(key) ?? 0;

const add = (counts: Map<string, number>, key: string, difference: number): void => {
  const count = countOf(counts, key) + difference;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
};
