import { OperatorError } from '../terminal.ts';
import type { ServerCredential } from './credential.ts';

/** A server's refusal; the message says what to do. */
export class ServerRefusal extends OperatorError {
  readonly status: number;
  /** As the server said it. */
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
  /** What a service account must hold for it; null for what none may do. */
  readonly scope: string | null;
  readonly requestId: string | null;
}

interface RefusedByServer extends Refused {
  readonly address: string;
  readonly credential: Pick<ServerCredential, 'from' | 'remedy'>;
}

/** The refusal of a server in words that tell what to do. */
export const refusalOf = ({ status, detail, address, scope, credential, requestId }: RefusedByServer): string => {
  const said = `${address} says "${detail}"`;
  // A part of the request may take another scope than the rest.
  const needed = /^Scope required: (\S+)$/.exec(detail)?.[1] ?? scope;
  switch (status) {
    case 401:
      return `${said}: it does not take the credential of ${credential.from}: ${credential.remedy}`;
    case 403:
      return `${said}: this needs an admin${needed === null ? ' in person' : `, or a service account with the scope ${needed}`}. The credential is that of ${credential.from}`;
    case 404:
      return detail === 'Not found'
        ? `${said}: is it older than this tool, or the address that of something else?`
        : said;
    case 429:
      return `${said}: it takes too few requests from this caller for this. An admin can raise its limit`;
    default:
      return status >= 500 ? `${said}: its log says why, at the request ${requestId ?? 'without an id'}` : said;
  }
};
