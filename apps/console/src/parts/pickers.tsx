import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ClipboardEvent } from 'react';
import { useRead } from '../api/use-call.ts';
import { words } from '../words/words.ts';
import { createApiLabeler } from './api-label.ts';

interface PickerProps {
  readonly label: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly value: readonly PickedItem[];
  readonly change: (items: readonly PickedItem[]) => void;
  /** Whether a pasted list is accepted: each entry is selected as written, for calls that accept names. */
  readonly acceptsPaste?: boolean;
  /** Whether this field has the focus when its dialog opens, instead of the first field. */
  readonly autofocus?: boolean;
}

/** A selected item. */
export interface PickedItem {
  readonly id: string;
  readonly name: string;
}

const shownMax = 20;

/** Searches on the server as the user types, and keeps the selected items while showing other matches. */
const Picker = ({
  label,
  description,
  required = false,
  value,
  change,
  autofocus = false,
  parsePasted,
  searchText,
  setSearchText,
  matches,
  isFetching,
}: PickerProps & {
  /** Returns the entries of a pasted list; empty if the text is not a list. */
  readonly parsePasted?: ((text: string) => readonly string[]) | undefined;
  readonly searchText: string;
  readonly setSearchText: (text: string) => void;
  readonly matches: readonly PickedItem[];
  readonly isFetching: boolean;
}) => {
  const allItems = new Map([...value, ...matches].map((item) => [item.id, item]));
  const [isOpen, setIsOpen] = useState(false);
  const paste = (event: ClipboardEvent<HTMLInputElement>): void => {
    const entries = parsePasted?.(event.clipboardData.getData('text')) ?? [];
    if (entries.length === 0) return;
    event.preventDefault();
    const pastedItems = entries.map((entry): readonly [string, PickedItem] => [entry, { id: entry, name: entry }]);
    change([...new Map([...value.map((item) => [item.id, item] as const), ...pastedItems]).values()]);
    setSearchText('');
    setIsOpen(false);
  };
  return (
    <MultiSelect
      label={label}
      description={description}
      required={required}
      data={[...allItems.values()].map(({ id, name }) => ({ value: id, label: name }))}
      value={value.map(({ id }) => id)}
      onChange={(ids) => change(ids.flatMap((id) => allItems.get(id) ?? []))}
      searchable
      searchValue={searchText}
      onSearchChange={setSearchText}
      onPaste={paste}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setIsOpen(true)}
      onDropdownClose={() => setIsOpen(false)}
      data-autofocus={autofocus || undefined}
      // The dropdown would cover a dialog that opens with the focus here.
      openOnFocus={false}
      // The server has already filtered the options, by more than the label shows.
      filter={({ options }) => options}
      // Once everything is selected, an empty dropdown would only cover the next field.
      nothingFoundMessage={searchText === '' ? null : isFetching ? words.frame.loading : words.frame.nothingFound}
      hidePickedOptions
      clearable
      clearButtonProps={{ 'aria-label': words.frame.clear }}
      mb="sm"
    />
  );
};

/** Selects approved clients by name or email. */
export const PeoplePicker = (props: PickerProps) => {
  const [searchText, setSearchText] = useState('');
  const [q] = useDebouncedValue(searchText, 200);
  const read = useRead(
    'GET /api/profiles/',
    { query: { q, limit: shownMax, role: 'client', registration_status: 'approved' } },
    { keepPrevious: true },
  );
  const matches = (read.data ?? []).map(({ id, full_name: name, email }) => ({ id, name: `${name} (${email})` }));
  return (
    <Picker
      {...props}
      parsePasted={props.acceptsPaste ? emailsOf : undefined}
      searchText={searchText}
      setSearchText={setSearchText}
      matches={matches}
      isFetching={read.isFetching}
    />
  );
};

/** Returns the email addresses in a list with any separators, with or without names. */
const emailsOf = (text: string): readonly string[] => [...new Set(text.match(/[^\s<>,;:"()]+@[^\s<>,;:"()]+/g) ?? [])];

/** Returns the lines of a list; empty for a single line, which is a search text. */
const linesOf = (text: string): readonly string[] => {
  const lines = text.split(/[\r\n\t;]+/).flatMap((line) => line.trim() || []);
  return lines.length > 1 ? [...new Set(lines)] : [];
};

/** Selects APIs from the catalog by name. */
export const ApisPicker = (props: PickerProps) => {
  const [searchText, setSearchText] = useState('');
  const [q] = useDebouncedValue(searchText, 200);
  const read = useRead('GET /api/collections/', { query: { q, limit: shownMax } }, { keepPrevious: true });
  const apis = read.data ?? [];
  const labelOf = createApiLabeler(apis);
  const matches = apis.map((api) => ({ id: api.id, name: labelOf(api) }));
  return (
    <Picker
      {...props}
      parsePasted={props.acceptsPaste ? linesOf : undefined}
      searchText={searchText}
      setSearchText={setSearchText}
      matches={matches}
      isFetching={read.isFetching}
    />
  );
};

/** Selects groups by name. */
export const GroupsPicker = (props: PickerProps) => {
  const [searchText, setSearchText] = useState('');
  const read = useRead('GET /api/groups', {});
  const matches = (read.data ?? [])
    .filter(({ name }) => name.toLowerCase().includes(searchText.toLowerCase()))
    .slice(0, shownMax)
    .map(({ id, name }) => ({ id, name }));
  return (
    <Picker
      {...props}
      searchText={searchText}
      setSearchText={setSearchText}
      matches={matches}
      isFetching={read.isFetching}
    />
  );
};
