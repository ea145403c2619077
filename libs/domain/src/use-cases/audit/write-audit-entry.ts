import type { Principal } from '../../access/principal.ts';
import { type AuditEntry, facetsOf } from '../../audit/audit-entry.ts';
import { parseDateTime } from '../../audit/date-time.ts';
import { PorticoError } from '../../errors.ts';
import type { EntryId } from '../../ids.ts';
import { toIso } from '../../instant.ts';
import type { Json } from '../../json.ts';
import type { Ports } from '../../ports/index.ts';

export interface NewEntry {
  /** The text of the message as sent. */
  readonly text: string;
  /** The same, parsed. */
  readonly message: { readonly [key: string]: Json };
  /** ISO 8601; null means now. */
  readonly timestamp: string | null;
}

/** Writes an entry for the caller; it is durable when the request is answered. */
export const writeAuditEntry =
  ({ clock, random, audit }: Pick<Ports, 'clock' | 'random' | 'audit'>) =>
  async ({ profile, deadline }: Principal, { text, message, timestamp }: NewEntry): Promise<AuditEntry> => {
    const receivedAt = clock.now();
    const instant = timestamp === null ? receivedAt : parseDateTime(timestamp);
    if (instant === null)
      throw new PorticoError('invalid_body', { because: 'timestamp must be an ISO 8601 date-time' });
    const entry: AuditEntry = {
      id: random.uuid() as EntryId,
      source: 'client',
      actorId: profile.id,
      message: text,
      timestamp: timestamp ?? toIso(receivedAt),
      instant,
      receivedAt,
      facets: facetsOf(message),
    };
    await audit.append(entry, deadline);
    return entry;
  };
