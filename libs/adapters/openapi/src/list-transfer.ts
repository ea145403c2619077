import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';

/**
 * A list that one thread sends to another. Receiving a message blocks the event loop until the whole message is
 * deserialized, so a long list is sent as many messages over a separate port.
 */
export type SentList<Item> = readonly Item[] | MessagePort;

/** The number of items per message; receiving that many takes less than a millisecond. */
const chunkLength = 512;

/** Returns the form of the list to send. If this is a port, it must be transferred. */
export function sendList<Item>(list: readonly Item[]): SentList<Item> {
  if (list.length <= chunkLength) return list;
  const { port1, port2 } = new MessageChannel();
  for (let start = 0; start < list.length; start += chunkLength) {
    port1.postMessage(list.slice(start, start + chunkLength));
  }
  // Messages that were posted can still be received, even after this thread has exited.
  port1.close();
  return port2;
}

/** Returns the whole list. Calls `yieldToEventLoop` after each chunk. */
export async function receiveList<Item>(
  list: SentList<Item>,
  yieldToEventLoop: () => Promise<void>,
): Promise<readonly Item[]> {
  if (isList(list)) return list;
  const items: Item[] = [];
  for (;;) {
    const chunk = receiveMessageOnPort(list) as { readonly message: readonly Item[] } | undefined;
    if (!chunk) return items;
    items.push(...chunk.message);
    await yieldToEventLoop();
  }
}

/** `Array.isArray` does not narrow to read-only arrays. */
const isList = <Item>(list: SentList<Item>): list is readonly Item[] => Array.isArray(list);
