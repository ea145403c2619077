import type { CallContent, PendingCall, SealedCall } from '../../calls/pending-call.ts';
import type { CallId } from '../../ids.ts';
import type { Ports } from '../../ports/index.ts';

export const sealContent = (cipher: Ports['cipher'], id: CallId, content: CallContent): string =>
  cipher.seal(JSON.stringify(content), sealingContextOf(id));

/** Opens a call's arguments; throws if no key opens them for this call. */
export const openContent = (cipher: Ports['cipher'], id: CallId, sealed: string): CallContent =>
  JSON.parse(cipher.open(sealed, sealingContextOf(id))) as CallContent;

/** Returns a call's sealed arguments, resealed with the current key; null if they are already sealed with that key. */
export const resealContent = (cipher: Ports['cipher'], id: CallId, sealed: string): string | null => {
  if (cipher.isCurrent(sealed)) return null;
  const context = sealingContextOf(id);
  return cipher.seal(cipher.open(sealed, context), context);
};

/** Opens a call's arguments; returns null if they were deleted, or if no key opens them. */
export const tryOpenContent = (cipher: Ports['cipher'], { id, sealed }: SealedCall): CallContent | null => {
  if (sealed === null) return null;
  try {
    return openContent(cipher, id, sealed);
  } catch {
    return null;
  }
};

/** Returns the call without its arguments. */
export const omitContent = <Call extends SealedCall>({
  sealed: _sealed,
  ...call
}: Call): Omit<Call, 'sealed'> & PendingCall => call;

const sealingContextOf = (id: CallId): string => `call:${id}`;
