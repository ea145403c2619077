import { OperatorError } from '../terminal.ts';
import type { ServerCredential } from './credential.ts';

/** Thrown for an error response of a server; its message says what to do. */
export class ServerError extends OperatorError {
  readonly status: number;
  /** The server's own message. */
  readonly detail: string;

  constructor(status: number, detail: string, message: string) {
    super(message);
    this.name = 'ServerError';
    this.status = status;
    this.detail = detail;
  }
}

export interface ErrorResponse {
  readonly status: number;
  readonly detail: string;
  /** The scope that a service account needs; null if no service account may call the route. */
  readonly scope: string | null;
  readonly requestId: string | null;
}

interface ErrorContext extends ErrorResponse {
  readonly address: string;
  readonly credential: Pick<ServerCredential, 'source' | 'remedy'>;
}

/** Returns a message that describes a server's error response and says what to do. */
export const explainError = ({ status, detail, address, scope, credential, requestId }: ErrorContext): string => {
  const quote = `${address} says "${detail}"`;
  // A part of the request may need a different scope from the rest.
  const neededScope = /^Scope required: (\S+)$/.exec(detail)?.[1] ?? scope;
  switch (status) {
    case 401:
      return `${quote}: it rejects the credential from ${credential.source}: ${credential.remedy}`;
    case 403:
      return `${quote}: this needs an admin${neededScope === null ? ' in person' : `, or a service account with the scope ${neededScope}`}. The credential comes from ${credential.source}`;
    case 404:
      return detail === 'Not found' ? `${quote}: is it older than this tool, or is the address wrong?` : quote;
    case 429:
      return `${quote}: the rate limit of this caller is too low for this. An admin can raise it`;
    default:
      return status >= 500 ? `${quote}: see its log, at the request ${requestId ?? 'without an id'}` : quote;
  }
};
