import { Button } from '@mantine/core';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { words } from '../../words/words.ts';
import styles from './api.module.css';
import { Description } from './description.tsx';
import { factsOf, isCut, isSchema, listOf, partsOf, typeText, valueText, type SchemaPart } from './schema-text.ts';

const text = words.api;

interface TreeFacts {
  readonly schema: unknown;
  /** Where the schema stands in the slice (RFC 6901). */
  readonly pointer: string;
  /** The places of the slice where something was left out. */
  readonly truncated: readonly string[];
}

/** A schema, level by level: what is below a level is in the page once it was opened. */
export const SchemaTree = ({
  schema,
  pointer,
  truncated,
  label,
  partsOnly = false,
}: TreeFacts & {
  readonly label: string;
  /** Leaves out the words on the schema itself, where they stand elsewhere. */
  readonly partsOnly?: boolean;
}) => (
  <div className={styles.schema} role="group" aria-label={label}>
    {partsOnly ? null : (
      <>
        <p>{schema === undefined || schema === null ? text.noSchema : <SchemaWords schema={schema} />}</p>
        <Told schema={schema} />
        <CutMark schema={schema} pointer={pointer} truncated={truncated} />
      </>
    )}
    <Parts schema={schema} pointer={pointer} truncated={truncated} />
  </div>
);

const shownMax = 100;

const Parts = ({ schema, pointer, truncated }: TreeFacts) => {
  const [isAll, setAll] = useState(false);
  const parts = partsOf(schema, pointer);
  if (parts.length === 0) return null;
  const shown = isAll ? parts : parts.slice(0, shownMax);
  return (
    <ul className={styles.tree}>
      {shown.map((part) => (
        <Part key={part.pointer} part={part} truncated={truncated} />
      ))}
      {shown.length < parts.length ? (
        <li>
          <Button variant="subtle" size="compact-xs" onClick={() => setAll(true)}>
            {text.moreMembers(parts.length - shown.length)}
          </Button>
        </li>
      ) : null}
    </ul>
  );
};

const Part = ({ part, truncated }: { readonly part: SchemaPart; readonly truncated: readonly string[] }) => {
  const { name, isName, required, pointer, schema } = part;
  const [open, setOpen] = useState(false);
  const canOpen = partsOf(schema, pointer).length > 0;
  const isDeprecated = isSchema(schema) && schema['deprecated'] === true;
  const label = isName ? <code>{name}</code> : <span>{name}</span>;
  return (
    <li>
      <div className={styles.member}>
        {canOpen ? (
          <button
            type="button"
            className={styles.opener}
            aria-expanded={open}
            aria-label={open ? text.shut(name) : text.open(name)}
            onClick={() => setOpen(!open)}
          >
            {open ? <ChevronDown size={16} aria-hidden /> : <ChevronRight size={16} aria-hidden />}
            {label}
          </button>
        ) : (
          <span className={styles.leaf}>{label}</span>
        )}{' '}
        <SchemaWords schema={schema} /> {required ? <strong>{text.isRequired}</strong> : null}{' '}
        {isDeprecated ? <strong>{text.deprecated}</strong> : null}{' '}
        <CutMark schema={schema} pointer={pointer} truncated={truncated} />
      </div>
      <div className={styles.told}>
        <Told schema={schema} />
      </div>
      {open ? <Parts schema={schema} pointer={pointer} truncated={truncated} /> : null}
    </li>
  );
};

const CutMark = ({ schema, pointer, truncated }: TreeFacts) =>
  isCut(schema, pointer, truncated) ? <em className={styles.quiet}>{text.cutHere}</em> : null;

/** The type of a value, its allowed values, and what else is asked of it. */
const SchemaWords = ({ schema }: { readonly schema: unknown }) => (
  <span>
    <TypeName schema={schema} /> <SchemaFacts schema={schema} />
  </span>
);

export const TypeName = ({ schema }: { readonly schema: unknown }) => (
  <span className={styles.type}>{typeText(schema)}</span>
);

export const SchemaFacts = ({ schema }: { readonly schema: unknown }) => {
  const facts = isSchema(schema) ? factsOf(schema) : [];
  return (
    <>
      {facts.length > 0 ? <span className={styles.quiet}>{facts.join('; ')}</span> : null}
      <Values schema={schema} />
    </>
  );
};

const valuesMax = 12;

const Values = ({ schema }: { readonly schema: unknown }) => {
  const [isAll, setAll] = useState(false);
  const values = isSchema(schema) ? enumOf(schema) : [];
  if (values.length === 0) return null;
  const shown = isAll ? values : values.slice(0, valuesMax);
  return (
    <span className={styles.values}>
      {shown.map((value, index) => (
        <code key={index}>{valueText(value)}</code>
      ))}
      {shown.length < values.length ? (
        <Button variant="subtle" size="compact-xs" onClick={() => setAll(true)}>
          {text.moreValues(values.length - shown.length)}
        </Button>
      ) : null}
    </span>
  );
};

/** The values of a list are those of its items. */
const enumOf = (schema: Readonly<Record<string, unknown>>): readonly unknown[] => {
  const own = listOf(schema, 'enum');
  return own.length > 0 || !isSchema(schema['items']) ? own : listOf(schema['items'], 'enum');
};

const Told = ({ schema }: { readonly schema: unknown }) =>
  isSchema(schema) && typeof schema['description'] === 'string' ? <Description of={schema['description']} /> : null;
