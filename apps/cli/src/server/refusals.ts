import { OperatorError } from '../terminal.ts';
import type { ServerCredential } from './credential.ts';

/** The error for a server's refusal; its message says what to do. */
export class ServerRefusal extends OperatorError {
  readonly status: number;
  /** The server's own message. */
  readonly detail: string;

  constructor(status: number, detail: string, message: string) {
    super(message);
    this.name = 'ServerRefusal';
    this.status = status;
    this.detail = detail;
  }
}

export interface Refused {
  readonly status: number;
  readonly detail: string;
  /** The scope that a service account needs; null if no service account is allowed to call. */
  readonly scope: string | null;
  readonly requestId: string | null;
}

interface RefusedByServer extends Refused {
  readonly address: string;
  readonly credential: Pick<ServerCredential, 'from' | 'remedy'>;
}

/** Returns a message that describes a server's refusal and says what to do. */
export const explainRefusal = ({ status, detail, address, scope, credential, requestId }: RefusedByServer): string => {
  const quote = `${address} says "${detail}"`;
  // A part of the request may need a different scope from the rest.
  const needed = /^Scope required: (\S+)$/.exec(detail)?.[1] ?? scope;
  switch (status) {
    case 401:
      return `${quote}: it rejects the credential of ${credential.from}: ${credential.remedy}`;
    case 403:
      return `${quote}: this needs an admin${needed === null ? ' in person' : `, or a service account with the scope ${needed}`}. The credential is that of ${credential.from}`;
    case 404:
      return detail === 'Not found' ? `${quote}: is it older than this tool, or is the address wrong?` : quote;
    case 429:
      return `${quote}: the rate limit of this caller is too low for this. An admin can raise it`;
    default:
      return status >= 500 ? `${quote}: its log says why, at the request ${requestId ?? 'without an id'}` : quote;
  }
};
