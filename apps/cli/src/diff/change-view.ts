import type { Change, Json } from '@portico/domain';

/** Returns a change as in JSON output, and as the server does. */
export const toChangeView = ({ rule, level, operation, place, text, example, fingerprint }: Change) => ({
  ...{ rule, level, operation_key: operation?.key ?? null },
  ...{ method: operation?.method ?? null, path: operation?.path ?? null, place, text },
  example: example === null ? null : (JSON.parse(example) as Json),
  fingerprint,
});
