import { MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useRead } from '../api/use-call.ts';
import { words } from '../words/words.ts';

interface PickerFacts {
  readonly label: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly value: readonly Picked[];
  readonly change: (picked: readonly Picked[]) => void;
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
  typed,
  setTyped,
  found,
  isFetching,
}: PickerFacts & {
  readonly typed: string;
  readonly setTyped: (text: string) => void;
  readonly found: readonly Picked[];
  readonly isFetching: boolean;
}) => {
  const all = new Map([...value, ...found].map((one) => [one.id, one]));
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
      // The server has filtered already, by more than what the label shows.
      filter={({ options }) => options}
      nothingFoundMessage={isFetching ? words.frame.loading : words.frame.nothingFound}
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
  return <Picker {...facts} typed={typed} setTyped={setTyped} found={found} isFetching={read.isFetching} />;
};

/** APIs of the catalog, by name. */
export const ApisPicker = (facts: PickerFacts) => {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, 200);
  const read = useRead('GET /api/collections/', { query: { q, limit: shownMax } }, { keep: true });
  const found = (read.data ?? []).map(({ id, name }) => ({ id, name }));
  return <Picker {...facts} typed={typed} setTyped={setTyped} found={found} isFetching={read.isFetching} />;
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
