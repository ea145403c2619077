import { Badge } from '@mantine/core';

const colours = { good: 'green', waiting: 'yellow', bad: 'red', quiet: 'gray', special: 'violet' } as const;

/** A state in one word. The colour only repeats the meaning of the word. */
export const StatusBadge = ({ kind, children }: { readonly kind: keyof typeof colours; readonly children: string }) => (
  <Badge variant="light" color={colours[kind]} tt="none" size="md" miw="max-content">
    {children}
  </Badge>
);
