import { Modal } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { words } from '../words/words.ts';

/** What a dialog was opened from, the nearest first: one that was opened from another dialog has that one's too. */
const openers = new WeakMap<Element, readonly HTMLElement[]>();

/** Keys that a dialog has taken: the one below it, which comes to the top by that, must not take them again. */
const taken = new WeakSet<Event>();

const nowFocused = (): readonly HTMLElement[] => {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement) || activeElement === document.body) return [];
  const around = activeElement.closest('[role=dialog]');
  return [activeElement, ...((around && openers.get(around)) ?? [])];
};

/** Gives the focus back. What opened the dialog may be gone by what was done there: then to the page. */
const giveBack = (candidates: readonly HTMLElement[]): void => {
  if (document.activeElement !== document.body) return;
  const content = document.getElementById('content');
  for (const candidate of content ? [...candidates, content] : candidates) {
    candidate.focus();
    if (document.activeElement === candidate) return;
  }
};

const fields = ['input:not([type=hidden], [readonly], :disabled)', 'textarea:not(:disabled)', 'select:not(:disabled)'];
const asked = '[data-autofocus]';

/** What has the focus first: what asks for it, else the first field, else the first button below the head. */
const firstIn = (body: Element): HTMLElement | undefined =>
  [asked, fields.join(), 'button:not(:disabled)']
    .flatMap((selector) => [...body.querySelectorAll<HTMLElement>(selector)])
    .find((element) => element.checkVisibility());

/**
 * What every dialog has in common. The focus comes to its first field, stays within it, and returns to what opened it.
 * Mounted while it is open.
 */
export const DialogBox = ({
  title,
  leave,
  children,
}: {
  readonly title: string;
  /** Called by Escape, the cross and a click beside it. Without it there is no such way out. */
  readonly leave?: (() => void) | undefined;
  readonly children: ReactNode;
}) => {
  const body = useRef<HTMLDivElement>(null);
  const [from] = useState(nowFocused);
  useEffect(() => () => giveBack(from), [from]);
  // Comes later than the first render: the box is in another place of the page.
  const enter = useCallback(
    (element: HTMLDivElement | null) => {
      body.current = element;
      const box = element?.closest('[role=dialog]');
      if (!element || !box) return;
      openers.set(box, from);
      // Mantine gives the focus to what has this attribute.
      firstIn(element)?.setAttribute('data-autofocus', '');
    },
    [from],
  );
  useEffect(() => {
    // What had the focus is gone, as when a form is replaced by what came of it.
    if (body.current && document.activeElement === document.body) firstIn(body.current)?.focus();
  });
  useWindowEvent(
    'keydown',
    (event) => {
      const isTop = [...document.querySelectorAll('[role=dialog]')].at(-1)?.contains(body.current);
      if (event.key !== 'Escape' || event.isComposing || taken.has(event) || !isTop || isOfList(event.target)) return;
      taken.add(event);
      leave?.();
    },
    { capture: true },
  );
  return (
    <Modal
      opened
      onClose={() => leave?.()}
      title={title}
      lockScroll={false}
      centered
      withCloseButton={leave !== undefined}
      closeOnEscape={false}
      returnFocus={false}
      closeButtonProps={{ 'aria-label': words.frame.close }}
      // Its head is no banner: the page has one.
      attributes={{ header: { role: 'presentation' } }}
    >
      <div ref={enter}>{children}</div>
    </Modal>
  );
};

/** Whether an open list of choices takes the key. */
const isOfList = (target: EventTarget | null): boolean =>
  target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true';
