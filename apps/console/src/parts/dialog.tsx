import { Button, Group } from '@mantine/core';
import { useCallback, useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from 'react';
import { words } from '../words/words.ts';
import { DialogBox } from './dialog-box.tsx';
import { ErrorNote } from './error-note.tsx';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  /** Called with the fields of the form. Without this function, there is only a close button. */
  readonly submit?: (fields: FormData) => unknown;
  readonly submitLabel?: string;
  /** Whether the action cannot be undone; if so, its button is red. */
  readonly destructive?: boolean;
  readonly busy?: boolean;
  readonly disabled?: boolean;
  /** Whether the content is shown only once; if so, only the button `I have copied it` closes the dialog. */
  readonly isShownOnce?: boolean;
  readonly error?: unknown;
  readonly children: ReactNode;
}

/** A form or a confirmation in front of the page. Enter in a field submits the form, and Escape closes the dialog. */
export const Dialog = ({ open, ...props }: DialogProps & { readonly open: boolean }) =>
  open ? <OpenDialog {...props} /> : null;

const OpenDialog = ({ title, close, submit, isShownOnce = false, error, children, ...footerProps }: DialogProps) => {
  const { form, isUnsaved } = useUnsavedText();
  const [isConfirming, setIsConfirming] = useState(false);
  const dismiss = (): void => {
    // While the dialog asks for confirmation, Escape returns to the form. Without an action, there is nothing to lose,
    // so the dialog does not ask.
    if (submit && (isConfirming || isUnsaved())) setIsConfirming(!isConfirming);
    else close();
  };
  const handleSubmit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    event.stopPropagation();
    submit?.(new FormData(event.currentTarget));
  };
  return (
    <DialogBox title={title} dismiss={isShownOnce ? undefined : dismiss}>
      <form ref={form} onSubmit={handleSubmit}>
        {children}
        <ErrorNote error={error} />
        {isConfirming ? (
          <Discard keepEditing={() => setIsConfirming(false)} discard={close} />
        ) : (
          <Footer {...footerProps} close={close} hasAction={submit !== undefined} isShownOnce={isShownOnce} />
        )}
      </form>
    </DialogBox>
  );
};

type FooterProps = Pick<DialogProps, 'close' | 'submitLabel' | 'destructive' | 'busy' | 'disabled' | 'isShownOnce'>;

const Footer = ({
  close,
  hasAction,
  submitLabel = words.frame.save,
  destructive = false,
  busy = false,
  disabled = false,
  isShownOnce = false,
}: FooterProps & { readonly hasAction: boolean }) => {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const dialogElement = button.current?.closest<HTMLElement>('[role=dialog]');
    if (!busy || !dialogElement || document.activeElement !== button.current) return;
    // A busy button is disabled and would lose the focus to the page.
    dialogElement.focus();
    return () => {
      if (document.activeElement !== dialogElement) return;
      dialogElement.blur();
      // The button is unmounted if the outcome has replaced the form. In that case, the dialog focuses its first
      // element.
      button.current?.focus();
    };
  }, [busy]);
  if (!hasAction)
    return (
      <Group justify="flex-end" mt="lg">
        <Button variant={isShownOnce ? 'filled' : 'default'} onClick={close}>
          {isShownOnce ? words.frame.copiedIt : words.frame.close}
        </Button>
      </Group>
    );
  return (
    <Group justify="flex-end" mt="lg">
      <Button variant="default" onClick={close}>
        {words.frame.cancel}
      </Button>
      <Button ref={button} type="submit" color={destructive ? 'red' : undefined} loading={busy} disabled={disabled}>
        {submitLabel}
      </Button>
    </Group>
  );
};

/** Asks before discarding unsaved text. If the user keeps the text, the focus returns to where it was. */
const Discard = ({ keepEditing, discard }: { readonly keepEditing: () => void; readonly discard: () => void }) => {
  const [previousFocus] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (previousFocus instanceof HTMLElement && previousFocus.closest('form')) previousFocus.focus();
    },
    [previousFocus],
  );
  return (
    <Group justify="flex-end" mt="lg">
      <span role="alert">{words.frame.unsaved}</span>
      <Button variant="default" onClick={keepEditing} autoFocus>
        {words.frame.keepEditing}
      </Button>
      <Button color="red" onClick={discard}>
        {words.frame.discard}
      </Button>
    </Group>
  );
};

/** Detects whether the text or the selected options of a form changed since it was opened. */
const useUnsavedText = () => {
  const element = useRef<HTMLFormElement>(null);
  const initialText = useRef('');
  const form = useCallback((openedForm: HTMLFormElement | null) => {
    element.current = openedForm;
    if (openedForm) initialText.current = valuesIn(openedForm);
  }, []);
  return { form, isUnsaved: () => element.current !== null && valuesIn(element.current) !== initialText.current };
};

/** A dropdown keeps its selected options in a hidden field; its visible text is only a search text. */
const textFields = 'textarea, input:not([type=checkbox], [type=radio], [type=file], [aria-haspopup=listbox])';

/**
 * Returns the values of the form's fields. Ignores empty fields, because they appear and disappear with other choices.
 */
const valuesIn = (form: HTMLFormElement): string =>
  JSON.stringify(
    [...form.querySelectorAll<HTMLInputElement>(textFields)].map(({ value }) => value).filter((value) => value !== ''),
  );
