import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ClipboardEvent } from 'react';
import { useRead } from '../api/use-call.ts';
import { words } from '../words/words.ts';
import { apiLabels } from './api-label.ts';

interface PickerProps {
  readonly label: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly value: readonly Picked[];
  readonly change: (picked: readonly Picked[]) => void;
  /** Whether a pasted list is accepted: each entry is selected as written, for calls that accept names. */
  readonly pastes?: boolean;
  /** Whether this field has the focus when its dialog opens, instead of the first field. */
  readonly autofocus?: boolean;
}

/** A selected item. */
export interface Picked {
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
  typed,
  setTyped,
  matches,
  isFetching,
}: PickerProps & {
  /** Returns the entries of a pasted list; empty if the text is not a list. */
  readonly parsePasted?: ((text: string) => readonly string[]) | undefined;
  readonly typed: string;
  readonly setTyped: (text: string) => void;
  readonly matches: readonly Picked[];
  readonly isFetching: boolean;
}) => {
  const all = new Map([...value, ...matches].map((one) => [one.id, one]));
  const [isOpen, setIsOpen] = useState(false);
  const paste = (event: ClipboardEvent<HTMLInputElement>): void => {
    const entries = parsePasted?.(event.clipboardData.getData('text')) ?? [];
    if (entries.length === 0) return;
    event.preventDefault();
    const pastedItems = entries.map((entry): readonly [string, Picked] => [entry, { id: entry, name: entry }]);
    change([...new Map([...value.map((one) => [one.id, one] as const), ...pastedItems]).values()]);
    setTyped('');
    setIsOpen(false);
  };
  return (
    <MultiSelect
      label={label}
      description={description}
      required={required}
      data={[...all.values()].map(({ id, name }) => ({ value: id, label: name }))}
      value={value.map(({ id }) => id)}
      onChange={(ids) => change(ids.flatMap((id) => all.get(id) ?? []))}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
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
      nothingFoundMessage={typed === '' ? null : isFetching ? words.frame.loading : words.frame.nothingFound}
      hidePickedOptions
      clearable
      clearButtonProps={{ 'aria-label': words.frame.clear }}
      mb="sm"
    />
  );
};

/** Selects approved clients by name or e-mail. */
export const PeoplePicker = (props: PickerProps) => {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const read = useRead(
    'GET /api/profiles/',
    { query: { q, limit: shownMax, role: 'client', registration_status: 'approved' } },
    { keepPrevious: true },
  );
  const matches = (read.data ?? []).map(({ id, full_name: name, email }) => ({ id, name: `${name} (${email})` }));
  return (
    <Picker
      {...props}
      parsePasted={props.pastes ? emailsOf : undefined}
      typed={typed}
      setTyped={setTyped}
      matches={matches}
      isFetching={read.isFetching}
    />
  );
};

/** Returns the e-mail addresses in a list with any separators, with or without names. */
const emailsOf = (text: string): readonly string[] => [...new Set(text.match(/[^\s<>,;:"()]+@[^\s<>,;:"()]+/g) ?? [])];

/** Returns the lines of a list; empty for a single line, which is a search text. */
const linesOf = (text: string): readonly string[] => {
  const lines = text.split(/[\r\n\t;]+/).flatMap((line) => line.trim() || []);
  return lines.length > 1 ? [...new Set(lines)] : [];
};

/** Selects APIs from the catalog by name. */
export const ApisPicker = (props: PickerProps) => {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const read = useRead('GET /api/collections/', { query: { q, limit: shownMax } }, { keepPrevious: true });
  const apis = read.data ?? [];
  const labelOf = apiLabels(apis);
  const matches = apis.map((api) => ({ id: api.id, name: labelOf(api) }));
  return (
    <Picker
      {...props}
      parsePasted={props.pastes ? linesOf : undefined}
      typed={typed}
      setTyped={setTyped}
      matches={matches}
      isFetching={read.isFetching}
    />
  );
};

/** Selects groups by name. */
export const GroupsPicker = (props: PickerProps) => {
  const [typed, setTyped] = useState('');
  const read = useRead('GET /api/groups', {});
  const matches = (read.data ?? [])
    .filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()))
    .slice(0, shownMax)
    .map(({ id, name }) => ({ id, name }));
  return <Picker {...props} typed={typed} setTyped={setTyped} matches={matches} isFetching={read.isFetching} />;
};
