import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useRead } from '../api/use-call.ts';
import { words } from '../words/words.ts';
import { createApiLabeler, formatApiLabelWithId } from './api-label.ts';

interface ChoiceProps {
  readonly label: string;
  readonly placeholder: string;
  /** The value in the URL and in requests: an email address, a name or an id. Empty if nothing is selected. */
  readonly value: string;
  /** The label of the value, if it differs from the value. */
  readonly displayText?: string | undefined;
  readonly change: (value: string) => void;
}

const shownMax = 20;
const pauseMs = 200;

interface Option {
  readonly value: string;
  readonly label: string;
}

const toOption = (name: string): Option => ({ value: name, label: name });

/** Selects one of many options, or none; searches on the server as the user types. */
const Choice = ({
  label,
  placeholder,
  value,
  displayText = value,
  change,
  options,
  searchText,
  setSearchText,
  isFetching,
}: ChoiceProps & {
  readonly options: readonly Option[];
  readonly searchText: string;
  readonly setSearchText: (text: string) => void;
  readonly isFetching: boolean;
}) => {
  const matches = options.filter((option) => option.value !== value);
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={value === '' ? matches : [{ value, label: displayText }, ...matches]}
      value={value || null}
      onChange={(selected) => change(selected ?? '')}
      searchable
      searchValue={searchText}
      onSearchChange={setSearchText}
      // The server has already filtered the options.
      filter={({ options }) => options}
      nothingFoundMessage={isFetching ? words.frame.loading : words.frame.nothingFound}
      clearable
      clearButtonProps={{ 'aria-label': `${words.frame.clear}: ${label}` }}
    />
  );
};

/** The search text: empty while the field only shows the selected option. */
const useSearchText = ({ value, displayText = value }: ChoiceProps) => {
  const [searchText, setSearchText] = useState(displayText);
  const [debouncedText] = useDebouncedValue(searchText, pauseMs);
  const [isSearching, setIsSearching] = useState(false);
  return {
    searchText,
    setSearchText: (text: string): void => {
      setSearchText(text);
      if (text !== displayText) setIsSearching(true);
    },
    q: debouncedText === displayText ? '' : debouncedText,
    isSearching,
  };
};

/** Selects a registered person by email address. */
export const PersonChoice = (props: ChoiceProps) => {
  const { searchText, setSearchText, q, isSearching } = useSearchText(props);
  const read = useRead(
    'GET /api/profiles/',
    { query: { q, limit: shownMax } },
    { keepPrevious: true, enabled: isSearching },
  );
  const options = (read.data ?? []).map(({ email }) => toOption(email));
  return (
    <Choice
      {...props}
      options={options}
      searchText={searchText}
      setSearchText={setSearchText}
      isFetching={read.isFetching}
    />
  );
};

export const isId = (value: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);

/**
 * Selects a visible API by name, or by id if several have the same name. In that case, shows the beginning of the id.
 */
export const ApiChoice = ({ value, ...props }: Omit<ChoiceProps, 'displayText'>) => {
  const isNamed = !isId(value);
  const read = useRead(
    'GET /api/collections/:collection_id/summary',
    { params: { collection_id: value } },
    { enabled: !isNamed },
  );
  const displayText = isNamed ? value : read.data ? formatApiLabelWithId(read.data) : words.frame.loading;
  // The field keeps its initial text, so the key remounts it when the text changes.
  return <NamedApiChoice key={displayText} {...props} value={value} displayText={displayText} />;
};

const NamedApiChoice = (props: ChoiceProps) => {
  const { searchText, setSearchText, q, isSearching } = useSearchText(props);
  const read = useRead(
    'GET /api/collections/',
    { query: { q, limit: shownMax } },
    { keepPrevious: true, enabled: isSearching },
  );
  const apis = read.data ?? [];
  const labelOf = createApiLabeler(apis);
  const options = apis.map((api) => {
    const label = labelOf(api);
    return { value: label === api.name ? label : api.id, label };
  });
  return (
    <Choice
      {...props}
      options={options}
      searchText={searchText}
      setSearchText={setSearchText}
      isFetching={read.isFetching}
    />
  );
};

/** Selects a group by name. */
export const GroupChoice = (props: ChoiceProps) => {
  const { searchText, setSearchText, q, isSearching } = useSearchText(props);
  const read = useRead(
    'GET /api/groups',
    { query: { q, limit: shownMax } },
    { keepPrevious: true, enabled: isSearching },
  );
  const options = (read.data ?? []).map(({ name }) => toOption(name));
  return (
    <Choice
      {...props}
      options={options}
      searchText={searchText}
      setSearchText={setSearchText}
      isFetching={read.isFetching}
    />
  );
};
