import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState, type ClipboardEvent } from 'react';
import { useRead } from '../api/use-call.ts';
import { words } from '../words/words.ts';
import { apiLabels } from './api-label.ts';

interface PickerFacts {
  readonly label: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly value: readonly Picked[];
  readonly change: (picked: readonly Picked[]) => void;
  /** Takes a pasted list too: each of its entries is picked by what it says, for calls that take names. */
  readonly pastes?: boolean;
  /** Has the focus when its dialog opens, in place of the first field. */
  readonly autofocus?: boolean;
}

/** One that was picked: by its id, shown by its name. */
export interface Picked {
  readonly id: string;
  readonly name: string;
}

const shownMax = 20;

/** Searches on the server as one types, and keeps what was picked while other matches are shown. */
const Picker = ({
  label,
  description,
  required = false,
  value,
  change,
  autofocus = false,
  pasted,
  typed,
  setTyped,
  found,
  isFetching,
}: PickerFacts & {
  /** The entries of a pasted list; none if it is no list. */
  readonly pasted?: ((text: string) => readonly string[]) | undefined;
  readonly typed: string;
  readonly setTyped: (text: string) => void;
  readonly found: readonly Picked[];
  readonly isFetching: boolean;
}) => {
  const all = new Map([...value, ...found].map((one) => [one.id, one]));
  const [isOpen, setIsOpen] = useState(false);
  const paste = (event: ClipboardEvent<HTMLInputElement>): void => {
    const entries = pasted?.(event.clipboardData.getData('text')) ?? [];
    if (entries.length === 0) return;
    event.preventDefault();
    const named = entries.map((entry): readonly [string, Picked] => [entry, { id: entry, name: entry }]);
    change([...new Map([...value.map((one) => [one.id, one] as const), ...named]).values()]);
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
      // A dialog that opens with the focus here would be covered by the list.
      openOnFocus={false}
      // The server has filtered already, by more than what the label shows.
      filter={({ options }) => options}
      // Once everything is picked, an empty list would only lie above what comes next.
      nothingFoundMessage={typed === '' ? null : isFetching ? words.frame.loading : words.frame.nothingFound}
      hidePickedOptions
      clearable
      clearButtonProps={{ 'aria-label': words.frame.clear }}
      mb="sm"
    />
  );
};

/** People who may be granted something, by name or e-mail. */
export const PeoplePicker = (facts: PickerFacts) => {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const read = useRead(
    'GET /api/profiles/',
    { query: { q, limit: shownMax, role: 'client', registration_status: 'approved' } },
    { keep: true },
  );
  const found = (read.data ?? []).map(({ id, full_name: name, email }) => ({ id, name: `${name} (${email})` }));
  return (
    <Picker
      {...facts}
      pasted={facts.pastes ? emailsOf : undefined}
      typed={typed}
      setTyped={setTyped}
      found={found}
      isFetching={read.isFetching}
    />
  );
};

/** The e-mails of a list, however they are separated, and with names around them or not. */
const emailsOf = (text: string): readonly string[] => [...new Set(text.match(/[^\s<>,;:"()]+@[^\s<>,;:"()]+/g) ?? [])];

/** The lines of a list; a single one is what one looks for. */
const linesOf = (text: string): readonly string[] => {
  const lines = text.split(/[\r\n\t;]+/).flatMap((line) => line.trim() || []);
  return lines.length > 1 ? [...new Set(lines)] : [];
};

/** APIs of the catalog, by name. */
export const ApisPicker = (facts: PickerFacts) => {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const read = useRead('GET /api/collections/', { query: { q, limit: shownMax } }, { keep: true });
  const apis = read.data ?? [];
  const labelOf = apiLabels(apis);
  const found = apis.map((api) => ({ id: api.id, name: labelOf(api) }));
  return (
    <Picker
      {...facts}
      pasted={facts.pastes ? linesOf : undefined}
      typed={typed}
      setTyped={setTyped}
      found={found}
      isFetching={read.isFetching}
    />
  );
};

/** Groups of people, by name. */
export const GroupsPicker = (facts: PickerFacts) => {
  const [typed, setTyped] = useState('');
  const read = useRead('GET /api/groups', {});
  const found = (read.data ?? [])
    .filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()))
    .slice(0, shownMax)
    .map(({ id, name }) => ({ id, name }));
  return <Picker {...facts} typed={typed} setTyped={setTyped} found={found} isFetching={read.isFetching} />;
};
