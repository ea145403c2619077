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
  const [searchText, setSearchText] = useState(value);
  const changeDebounced = useDebouncedCallback(change, pauseMs);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Search size={16} aria-hidden />}
      value={searchText}
      maxLength={200}
      onChange={({ currentTarget }) => {
        setSearchText(currentTarget.value);
        changeDebounced(currentTarget.value.trim());
      }}
      title={words.frame.search}
    />
  );
};
