import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { words } from '../words/words.ts';

/** Shows a success message with an undo button, long enough to read it. */
export const notifyUndo = (message: string, undo: () => void): void => {
  const id = notifications.show({
    message: (
      <Group gap="sm" justify="space-between">
        <span>{message}</span>
        <Button
          variant="default"
          size="xs"
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          {words.frame.undo}
        </Button>
      </Group>
    ),
    color: 'green',
    autoClose: 10_000,
    closeButtonProps: { 'aria-label': words.frame.close },
  });
};
