import type { IncomingMessage, ServerResponse } from 'node:http';

const awaiting = new WeakSet<IncomingMessage>();

/** Notes that the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). */
export const noteExpectContinue = (request: IncomingMessage): void => {
  awaiting.add(request);
};

/** Lets a client that waits send its body: only once nothing speaks against the request. */
export const sendContinue = (request: IncomingMessage, response: ServerResponse): void => {
  if (awaiting.delete(request)) response.writeContinue();
};

/** Whether the client still waits, so that nobody can tell whether a body comes after the answer. */
export const awaitsContinue = (request: IncomingMessage): boolean => awaiting.has(request);
