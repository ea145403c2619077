import { Button, Group } from '@mantine/core';
import { useCallback, useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from 'react';
import { words } from '../words/words.ts';
import { DialogBox } from './dialog-box.tsx';
import { ErrorNote } from './error-note.tsx';

interface DialogFacts {
  readonly title: string;
  readonly close: () => void;
  /** Called with the fields of the form. Without it there is only a button to close. */
  readonly act?: (fields: FormData) => unknown;
  readonly actLabel?: string;
  /** What cannot be undone looks different. */
  readonly dangerous?: boolean;
  readonly busy?: boolean;
  readonly disabled?: boolean;
  /** Shows what is shown only once: it is left by one button alone, which says that it was copied. */
  readonly shownOnce?: boolean;
  readonly error?: unknown;
  readonly children: ReactNode;
}

/** A form, or a question before an act, above the page. Enter in a field does it, Escape leaves it. */
export const Dialog = ({ open, ...facts }: DialogFacts & { readonly open: boolean }) =>
  open ? <OpenDialog {...facts} /> : null;

const OpenDialog = ({ title, close, act, shownOnce = false, error, children, ...footFacts }: DialogFacts) => {
  const { form, isUnsaved } = useUnsavedText();
  const [asks, setAsks] = useState(false);
  const leave = (): void => {
    // While it asks, leaving is going back. What was done is not asked about: then nothing is left to do.
    if (act && (asks || isUnsaved())) setAsks(!asks);
    else close();
  };
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    event.stopPropagation();
    act?.(new FormData(event.currentTarget));
  };
  return (
    <DialogBox title={title} leave={shownOnce ? undefined : leave}>
      <form ref={form} onSubmit={submit}>
        {children}
        <ErrorNote error={error} />
        {asks ? (
          <Discard keep={() => setAsks(false)} discard={close} />
        ) : (
          <Foot {...footFacts} close={close} acts={act !== undefined} shownOnce={shownOnce} />
        )}
      </form>
    </DialogBox>
  );
};

type FootFacts = Pick<DialogFacts, 'close' | 'actLabel' | 'dangerous' | 'busy' | 'disabled' | 'shownOnce'>;

const Foot = ({
  close,
  acts,
  actLabel = words.frame.save,
  dangerous = false,
  busy = false,
  disabled = false,
  shownOnce = false,
}: FootFacts & { readonly acts: boolean }) => {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const box = button.current?.closest<HTMLElement>('[role=dialog]');
    if (!busy || !box || document.activeElement !== button.current) return;
    // A button that is busy is disabled, and would lose the focus to the page.
    box.focus();
    return () => {
      if (document.activeElement !== box) return;
      box.blur();
      // Gone, if what came of it took the place of the form: then the box looks for the first thing in it.
      button.current?.focus();
    };
  }, [busy]);
  if (!acts)
    return (
      <Group justify="flex-end" mt="lg">
        <Button variant={shownOnce ? 'filled' : 'default'} onClick={close}>
          {shownOnce ? words.frame.copiedIt : words.frame.close}
        </Button>
      </Group>
    );
  return (
    <Group justify="flex-end" mt="lg">
      <Button variant="default" onClick={close}>
        {words.frame.cancel}
      </Button>
      <Button ref={button} type="submit" color={dangerous ? 'red' : undefined} loading={busy} disabled={disabled}>
        {actLabel}
      </Button>
    </Group>
  );
};

/** Asks before texts are lost; whoever keeps them goes on where they were. */
const Discard = ({ keep, discard }: { readonly keep: () => void; readonly discard: () => void }) => {
  const [from] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (from instanceof HTMLElement && from.closest('form')) from.focus();
    },
    [from],
  );
  return (
    <Group justify="flex-end" mt="lg">
      <span role="alert">{words.frame.unsaved}</span>
      <Button variant="default" onClick={keep} autoFocus>
        {words.frame.keepEditing}
      </Button>
      <Button color="red" onClick={discard}>
        {words.frame.discard}
      </Button>
    </Group>
  );
};

/** Whether a form has other texts, or other picks in its lists, than when it was opened. */
const useUnsavedText = () => {
  const element = useRef<HTMLFormElement>(null);
  const atFirst = useRef('');
  const form = useCallback((opened: HTMLFormElement | null) => {
    element.current = opened;
    if (opened) atFirst.current = textsIn(opened);
  }, []);
  return { form, isUnsaved: () => element.current !== null && textsIn(element.current) !== atFirst.current };
};

/** A list of choices has its picks in a hidden field; what is typed there only looks for them. */
const texts = 'textarea, input:not([type=checkbox], [type=radio], [type=file], [aria-haspopup=listbox])';

/** Empty fields do not count: they come and go with what is chosen. */
const textsIn = (form: HTMLFormElement): string =>
  JSON.stringify(
    [...form.querySelectorAll<HTMLInputElement>(texts)].map(({ value }) => value).filter((value) => value !== ''),
  );
