import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';

/**
 * A list that one thread sends to another. A thread takes over a message as a whole, during which its event loop stands
 * still: a long list comes in many, on a port of its own.
 */
export type Sent<Item> = readonly Item[] | MessagePort;

/** They take less than a millisecond. */
const portionLength = 512;

/** The list as it is sent; a port has to be transferred. */
export function sent<Item>(list: readonly Item[]): Sent<Item> {
  if (list.length <= portionLength) return list;
  const { port1, port2 } = new MessageChannel();
  for (let from = 0; from < list.length; from += portionLength) {
    port1.postMessage(list.slice(from, from + portionLength));
  }
  // What was posted stays to be received, also when this thread has ended.
  port1.close();
  return port2;
}

/** The whole list. Calls `yieldToEventLoop` after each portion. */
export async function received<Item>(
  list: Sent<Item>,
  yieldToEventLoop: () => Promise<void>,
): Promise<readonly Item[]> {
  if (isList(list)) return list;
  const whole: Item[] = [];
  for (;;) {
    const portion = receiveMessageOnPort(list) as { readonly message: readonly Item[] } | undefined;
    if (!portion) return whole;
    whole.push(...portion.message);
    await yieldToEventLoop();
  }
}

/** `Array.isArray` does not know read-only arrays. */
const isList = <Item>(list: Sent<Item>): list is readonly Item[] => Array.isArray(list);
