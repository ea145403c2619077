import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useRead } from '../api/use-call.ts';
import { words } from '../words/words.ts';
import { apiLabels, apiLabelWithId } from './api-label.ts';

interface ChoiceFacts {
  readonly label: string;
  readonly placeholder: string;
  /** What the service and the address know it by: an e-mail, a name or an id. Empty for none. */
  readonly value: string;
  /** What is shown for the value, if it is not the value itself. */
  readonly shown?: string | undefined;
  readonly change: (value: string) => void;
}

const shownMax = 20;
const pauseMs = 200;

interface Option {
  readonly value: string;
  readonly label: string;
}

const byName = (name: string): Option => ({ value: name, label: name });

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
  const found = options.filter((option) => option.value !== value);
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={value === '' ? found : [{ value, label: shown }, ...found]}
      value={value || null}
      onChange={(chosen) => change(chosen ?? '')}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The server has filtered already.
      filter={({ options }) => options}
      nothingFoundMessage={isFetching ? words.frame.loading : words.frame.nothingFound}
      clearable
      clearButtonProps={{ 'aria-label': `${words.frame.clear}: ${label}` }}
    />
  );
};

/** What is looked for: nothing while the field only shows what was chosen. */
const useTyped = ({ value, shown = value }: ChoiceFacts) => {
  const [typed, setTyped] = useState(shown);
  const [paused] = useDebouncedValue(typed, pauseMs);
  const [isAsked, setAsked] = useState(false);
  return {
    typed,
    setTyped: (text: string): void => {
      setTyped(text);
      if (text !== shown) setAsked(true);
    },
    q: paused === shown ? '' : paused,
    isAsked,
  };
};

/** Anybody who registered, by e-mail. */
export const PersonChoice = (facts: ChoiceFacts) => {
  const { typed, setTyped, q, isAsked } = useTyped(facts);
  const read = useRead('GET /api/profiles/', { query: { q, limit: shownMax } }, { keep: true, enabled: isAsked });
  const options = (read.data ?? []).map(({ email }) => byName(email));
  return <Choice {...facts} options={options} typed={typed} setTyped={setTyped} isFetching={read.isFetching} />;
};

export const isId = (value: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

/** An API that one may see, by name; one of several with a name by its id, of which the beginning is shown. */
export const ApiChoice = ({ value, ...facts }: Omit<ChoiceFacts, 'shown'>) => {
  const isNamed = !isId(value);
  const read = useRead(
    'GET /api/collections/:collection_id/summary',
    { params: { collection_id: value } },
    { enabled: !isNamed },
  );
  const shown = isNamed ? value : read.data ? apiLabelWithId(read.data) : words.frame.loading;
  // The field remembers what it showed first.
  return <NamedApiChoice key={shown} {...facts} value={value} shown={shown} />;
};

const NamedApiChoice = (facts: ChoiceFacts) => {
  const { typed, setTyped, q, isAsked } = useTyped(facts);
  const read = useRead('GET /api/collections/', { query: { q, limit: shownMax } }, { keep: true, enabled: isAsked });
  const apis = read.data ?? [];
  const labelOf = apiLabels(apis);
  const options = apis.map((api) => {
    const label = labelOf(api);
    return { value: label === api.name ? label : api.id, label };
  });
  return <Choice {...facts} options={options} typed={typed} setTyped={setTyped} isFetching={read.isFetching} />;
};

/** A group of people, by name. */
export const GroupChoice = (facts: ChoiceFacts) => {
  const { typed, setTyped, q, isAsked } = useTyped(facts);
  const read = useRead('GET /api/groups', { query: { q, limit: shownMax } }, { keep: true, enabled: isAsked });
  const options = (read.data ?? []).map(({ name }) => byName(name));
  return <Choice {...facts} options={options} typed={typed} setTyped={setTyped} isFetching={read.isFetching} />;
};
