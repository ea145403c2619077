import { isSameEmail, type Instant } from '@portico/domain';
import type { AccessRequest, Administration } from '../administration/administration.ts';
import { columns } from '../columns.ts';
import { OperatorError, type Terminal } from '../terminal.ts';
import type { AllDone } from './outcomes.ts';

/** A request as an administrator names it: by its id, or by who asks for which collection. */
export interface NamedRequest {
  readonly idOrEmail: string;
  readonly collection?: string;
}

/** Lists those that wait, or all. */
export const showRequests = async (
  { requests }: Administration,
  terminal: Terminal,
  all: boolean,
): Promise<AllDone> => {
  const found = await requests(all ? null : 'pending');
  const rows = found.map((one) => [
    one.created_at.slice(0, 10),
    one.status,
    one.profile_email,
    one.collection_name,
    one.duration_days === null ? 'for good' : `for ${one.duration_days} days`,
    one.reason,
  ]);
  terminal.result(found, rows.length > 0 ? columns(rows) : ['No request waits.']);
  return true;
};

export const approveNamed = async (
  administration: Administration,
  terminal: Terminal,
  named: NamedRequest,
  until: Instant | undefined,
): Promise<AllDone> => {
  const request = await find(administration, named);
  await administration.approveRequest(request.id, until);
  return tell(terminal, request, 'approved');
};

export const denyNamed = async (
  administration: Administration,
  terminal: Terminal,
  named: NamedRequest,
  reason: string | null,
): Promise<AllDone> => {
  const request = await find(administration, named);
  await administration.denyRequest(request.id, reason);
  return tell(terminal, request, 'denied');
};

const tell = (terminal: Terminal, request: AccessRequest, outcome: string): AllDone => {
  const { id, profile_email: email, collection_name } = request;
  terminal.result({ outcome, id, email, collection_name }, [`${outcome}  ${email}  ${collection_name ?? id}`]);
  return true;
};

/** The pending request of that id, or of that person for that collection. Throws an `OperatorError` if there is none. */
const find = async ({ requests }: Administration, { idOrEmail, collection }: NamedRequest): Promise<AccessRequest> => {
  const asked = idOrEmail.trim();
  const found = (await requests('pending')).filter(
    (one) =>
      (one.id === asked.toLowerCase() || isSameEmail(one.profile_email, asked)) &&
      (collection === undefined || one.collection_name === collection),
  );
  const [request, ...others] = found;
  if (!request)
    throw new OperatorError(
      `no request of ${idOrEmail}${collection === undefined ? '' : ` for ${collection}`} waits: "requests list" shows them`,
    );
  if (others.length > 0)
    throw new OperatorError(
      `${found.length} requests of ${idOrEmail} wait: name the collection too, or the id (${found.map(({ id }) => id).join(', ')})`,
    );
  return request;
};
