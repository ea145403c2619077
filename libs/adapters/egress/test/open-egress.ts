import { isPorticoError, type EgressOptions, type EgressRequest, type EgressResponse } from '@portico/domain';
import { onTestFinished } from 'vitest';
import { createEgress, type ClosableEgress, type EgressSettings } from '../src/index.ts';

/** Creates an egress that may connect to 127.0.0.1 and to no other address. Closed after the test. */
export const openEgress = (settings: Partial<EgressSettings> = {}): ClosableEgress => {
  const egress = createEgress({ networks: ['127.0.0.1'], ...settings });
  onTestFinished(() => egress.close());
  return egress;
};

export const anOptions: EgressOptions = { caller: 'alice', timeoutMs: 60_000, bodyBytesMax: 1_000_000 };

export const sendTo = (
  egress: Pick<ClosableEgress, 'send'>,
  url: string,
  request: Partial<EgressRequest> = {},
  options: Partial<EgressOptions> = {},
): Promise<EgressResponse> =>
  egress.send({ method: 'GET', url, headers: [], body: null, ...request }, { ...anOptions, ...options });

/** Returns status, body and truncation of a response in one line, or the message of a `PorticoError`. */
export const outcomeOf = async (exchange: Promise<EgressResponse>): Promise<string> => {
  try {
    const { status, body, isTruncated } = await exchange;
    return `${status} ${Buffer.from(body).toString('latin1')}${isTruncated ? ' [truncated]' : ''}`.trim();
  } catch (error) {
    if (!isPorticoError(error)) throw error;
    return error.message;
  }
};

/** The beginning of each message of `upstream_unreachable` and `upstream_timed_out`. */
export const unreachable = 'The API is unreachable: ';
export const timedOut = 'The API did not respond in time: ';
