import type { PendingCall } from '../../calls/pending-call.ts';
import type { Actor } from '../../profiles/profile.ts';
import { collectionFieldsOf, profileFieldsOf } from '../audit/system-entry.ts';

/** Returns the fields of an audit entry about a call. The arguments are never part of it. */
export const callFieldsOf = (
  { id, collectionId, operationKey, method, path }: PendingCall,
  caller: Actor,
  collectionName: string,
) => ({
  call_id: id,
  ...profileFieldsOf(caller),
  ...collectionFieldsOf({ id: collectionId, name: collectionName }),
  operation_key: operationKey,
  method,
  path,
});
