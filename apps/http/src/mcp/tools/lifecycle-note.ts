import { toIso, type Lifecycle } from '@portico/domain';
import { toOneLine } from './one-line.ts';

/** The maximum length of an administrator's note. */
const noteMax = 300;

/** Returns sentences for a model about an API that is deprecated or retired, and what to use instead; null if it is active. */
export const describeLifecycle = ({ state, sunset, successor, text }: Lifecycle): string | null => {
  if (state === 'active') return null;
  const sentences = [
    state === 'retired'
      ? 'This API is retired: it cannot be called.'
      : 'This API is deprecated: it works, but use another one for anything new.',
    ...(sunset === null || state === 'retired' ? [] : [`It stops working on ${toIso(sunset).slice(0, 10)}.`]),
    ...(successor === null ? [] : [`Its successor has the collection_id ${successor}.`]),
    ...(text === null ? [] : [`Note: ${toOneLine(text, noteMax)}`]),
  ];
  return sentences.join(' ');
};
