import { Modal } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { words } from '../words/words.ts';

/**
 * The elements that opened a dialog, nearest first. A dialog opened from another dialog also has the other dialog's
 * openers.
 */
const openers = new WeakMap<Element, readonly HTMLElement[]>();

/** Key events that a dialog has handled: the dialog below, which is then on top, must not handle them again. */
const handledEvents = new WeakSet<Event>();

const listFocusCandidates = (): readonly HTMLElement[] => {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement) || activeElement === document.body) return [];
  const parentDialog = activeElement.closest('[role=dialog]');
  return [activeElement, ...((parentDialog && openers.get(parentDialog)) ?? [])];
};

/** Returns the focus to the opener, or to the page if the opener no longer exists. */
const restoreFocus = (candidates: readonly HTMLElement[]): void => {
  if (document.activeElement !== document.body) return;
  const content = document.getElementById('content');
  for (const candidate of content ? [...candidates, content] : candidates) {
    candidate.focus();
    if (document.activeElement === candidate) return;
  }
};

const fieldSelectors = [
  'input:not([type=hidden], [readonly], :disabled)',
  'textarea:not(:disabled)',
  'select:not(:disabled)',
];
const autofocusSelector = '[data-autofocus]';

/** Returns the element to focus first: the one with autofocus, or else the first field, or else the first button. */
const findFirstFocusable = (body: Element): HTMLElement | undefined =>
  [autofocusSelector, fieldSelectors.join(), 'button:not(:disabled)']
    .flatMap((selector) => [...body.querySelectorAll<HTMLElement>(selector)])
    .find((element) => element.checkVisibility());

/**
 * The common part of every dialog. The focus moves to the dialog's first field, is kept within the dialog, and returns
 * to the opener. A dialog is mounted only while it is open.
 */
export const DialogBox = ({
  title,
  dismiss,
  children,
}: {
  readonly title: string;
  /** Called on Escape, the close button or a click outside. Without this function, none of these closes the dialog. */
  readonly dismiss?: (() => void) | undefined;
  readonly children: ReactNode;
}) => {
  const body = useRef<HTMLDivElement>(null);
  const [focusCandidates] = useState(listFocusCandidates);
  useEffect(() => () => restoreFocus(focusCandidates), [focusCandidates]);
  // Called after the first render: the dialog is rendered in a portal.
  const mount = useCallback(
    (element: HTMLDivElement | null) => {
      body.current = element;
      const dialogElement = element?.closest('[role=dialog]');
      if (!element || !dialogElement) return;
      openers.set(dialogElement, focusCandidates);
      // Mantine focuses the element with this attribute.
      findFirstFocusable(element)?.setAttribute('data-autofocus', '');
    },
    [focusCandidates],
  );
  useEffect(() => {
    // The focused element may no longer exist, for example when the outcome has replaced a form.
    if (body.current && document.activeElement === document.body) findFirstFocusable(body.current)?.focus();
  });
  useWindowEvent(
    'keydown',
    (event) => {
      const isTop = [...document.querySelectorAll('[role=dialog]')].at(-1)?.contains(body.current);
      if (
        event.key !== 'Escape' ||
        event.isComposing ||
        handledEvents.has(event) ||
        !isTop ||
        isHandledByDropdown(event.target)
      )
        return;
      handledEvents.add(event);
      dismiss?.();
    },
    { capture: true },
  );
  return (
    <Modal
      opened
      onClose={() => dismiss?.()}
      title={title}
      lockScroll={false}
      centered
      withCloseButton={dismiss !== undefined}
      closeOnEscape={false}
      returnFocus={false}
      closeButtonProps={{ 'aria-label': words.frame.close }}
      // The dialog's header is not a banner landmark: the page already has one.
      attributes={{ header: { role: 'presentation' } }}
    >
      <div ref={mount}>{children}</div>
    </Modal>
  );
};

/** Returns whether an open dropdown handles the key. */
const isHandledByDropdown = (target: EventTarget | null): boolean =>
  target instanceof Element && target.getAttribute('data-mantine-stop-propagation') === 'true';
