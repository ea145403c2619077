import { Button, Group, Modal } from '@mantine/core';
import type { ReactNode, SyntheticEvent } from 'react';
import { words } from '../words/words.ts';
import { ErrorNote } from './error-note.tsx';

/** A form, or a question before an act, above the page. Enter does it, Escape leaves it. */
export const Dialog = ({
  title,
  open,
  close,
  act,
  actLabel,
  dangerous = false,
  busy = false,
  disabled = false,
  lasting = false,
  error,
  children,
}: {
  readonly title: string;
  readonly open: boolean;
  readonly close: () => void;
  /** Called with the fields of the form. Without it there is only a button to close. */
  readonly act?: (fields: FormData) => unknown;
  readonly actLabel?: string;
  /** What cannot be undone looks different. */
  readonly dangerous?: boolean;
  readonly busy?: boolean;
  readonly disabled?: boolean;
  /** Whether a click beside it leaves it open, for what is shown only once. */
  readonly lasting?: boolean;
  readonly error?: unknown;
  readonly children: ReactNode;
}) => {
  const submit = (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    event.stopPropagation();
    act?.(new FormData(event.currentTarget));
  };
  return (
    <Modal
      opened={open}
      onClose={close}
      title={title}
      lockScroll={false}
      closeOnClickOutside={!lasting}
      centered
      closeButtonProps={{ 'aria-label': words.frame.close }}
      // Its head is no banner: the page has one.
      attributes={{ header: { role: 'presentation' } }}
    >
      <form onSubmit={submit}>
        {children}
        <ErrorNote error={error} />
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close}>
            {act ? words.frame.cancel : words.frame.close}
          </Button>
          {act ? (
            <Button type="submit" color={dangerous ? 'red' : undefined} loading={busy} disabled={disabled}>
              {actLabel ?? words.frame.save}
            </Button>
          ) : null}
        </Group>
      </form>
    </Modal>
  );
};
