import type { IncomingMessage, ServerResponse } from 'node:http';

const heldBack = new WeakSet<IncomingMessage>();

/** Notes that the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). */
export const holdBack = (request: IncomingMessage): void => {
  heldBack.add(request);
};

/** Lets a client that waits send its body: only once nothing speaks against the request. */
export const letBodyCome = (request: IncomingMessage, response: ServerResponse): void => {
  if (heldBack.delete(request)) response.writeContinue();
};

/** Whether the client still waits, so that nobody can tell whether a body comes after the answer. */
export const isHeldBack = (request: IncomingMessage): boolean => heldBack.has(request);
