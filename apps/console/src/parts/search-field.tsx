import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { words } from '../words/words.ts';

const pauseMs = 250;

/** A filter that queries the server once the user stops typing. */
export const SearchField = ({
  label,
  value,
  change,
}: {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
}) => {
  const [typed, setTyped] = useState(value);
  const later = useDebouncedCallback(change, pauseMs);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Search size={16} aria-hidden />}
      value={typed}
      maxLength={200}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        later(currentTarget.value.trim());
      }}
      title={words.frame.search}
    />
  );
};
