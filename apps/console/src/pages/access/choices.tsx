import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useRead } from '../../api/use-call.ts';
import { words } from '../../words/words.ts';

interface ChoiceFacts {
  readonly label: string;
  readonly placeholder: string;
  /** What the service and the address know it by: an e-mail or a name. Empty for none. */
  readonly value: string;
  /** What is shown for the value, if it is not the value itself. */
  readonly shown?: string;
  readonly change: (value: string) => void;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

const shownMax = 20;
const pauseMs = 200;

/** One of many, found on the server as one types; or none. */
const Choice = ({
  label,
  placeholder,
  value,
  shown = value,
  change,
  options,
  typed,
  setTyped,
  isFetching,
}: ChoiceFacts & {
  readonly options: readonly Option[];
  readonly typed: string;
  readonly setTyped: (text: string) => void;
  readonly isFetching: boolean;
}) => {
  const known = value === '' || options.some((option) => option.value === value);
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={known ? [...options] : [{ value, label: shown }, ...options]}
      value={value || null}
      onChange={(chosen) => change(chosen ?? '')}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      nothingFoundMessage={isFetching ? words.frame.loading : words.frame.nothingFound}
      clearable
      clearButtonProps={{ 'aria-label': `${words.frame.clear}: ${label}` }}
    />
  );
};

/** What is looked for: nothing while the field only shows what was chosen. */
const useTyped = (chosen: string) => {
  const [typed, setTyped] = useState(chosen);
  const [paused] = useDebouncedValue(typed, pauseMs);
  return { typed, setTyped, q: paused === chosen ? '' : paused };
};

export const PersonChoice = (facts: ChoiceFacts) => {
  const { typed, setTyped, q } = useTyped(facts.value);
  const read = useRead('GET /api/profiles/', { query: { q, limit: shownMax, role: 'client' } }, { keep: true });
  const options = (read.data ?? []).map(({ email }) => email);
  return (
    <Choice
      {...facts}
      options={options.map((email) => ({ value: email, label: email }))}
      typed={typed}
      setTyped={setTyped}
      isFetching={read.isFetching}
    />
  );
};

export const ApiChoice = (facts: ChoiceFacts) => {
  const { typed, setTyped, q } = useTyped(facts.value);
  const read = useRead('GET /api/collections/', { query: { q, limit: shownMax } }, { keep: true });
  const names = [...new Set((read.data ?? []).map(({ name }) => name))];
  return (
    <Choice
      {...facts}
      options={names.map((name) => ({ value: name, label: name }))}
      typed={typed}
      setTyped={setTyped}
      isFetching={read.isFetching}
    />
  );
};

export const GroupChoice = (facts: ChoiceFacts) => {
  const { typed, setTyped, q } = useTyped(facts.value);
  const read = useRead('GET /api/groups', {});
  const names = (read.data ?? [])
    .map(({ name }) => name)
    .filter((name) => name.toLowerCase().includes(q.toLowerCase()));
  return (
    <Choice
      {...facts}
      options={names.slice(0, shownMax).map((name) => ({ value: name, label: name }))}
      typed={typed}
      setTyped={setTyped}
      isFetching={read.isFetching}
    />
  );
};
