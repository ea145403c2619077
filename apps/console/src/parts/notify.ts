import { notifications } from '@mantine/notifications';
import { words } from '../words/words.ts';

/** Shows a success message for a few seconds. */
export const notify = (message: string): void => {
  notifications.show({
    message,
    color: 'green',
    autoClose: 5_000,
    closeButtonProps: { 'aria-label': words.frame.close },
  });
};
