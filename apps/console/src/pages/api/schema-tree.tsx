import { Button } from '@mantine/core';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { words } from '../../words/words.ts';
import styles from './api.module.css';
import { Description } from './description.tsx';
import {
  constraintsOf,
  isTruncated,
  isSchema,
  listOf,
  partsOf,
  describeType,
  formatValue,
  type SchemaPart,
} from './schema-text.ts';

const text = words.api;

interface TreeProps {
  readonly schema: unknown;
  /** The JSON Pointer of the schema in the slice (RFC 6901). */
  readonly pointer: string;
  /** The JSON Pointers of the places in the slice where parts were left out. */
  readonly truncated: readonly string[];
}

/** A schema, shown level by level: each level is rendered once it is opened. */
export const SchemaTree = ({
  schema,
  pointer,
  truncated,
  label,
  partsOnly = false,
}: TreeProps & {
  readonly label: string;
  /** Whether to omit the text of the schema itself, because it is shown elsewhere. */
  readonly partsOnly?: boolean;
}) => (
  <div className={styles.schema} role="group" aria-label={label}>
    {partsOnly ? null : (
      <>
        <p>{schema === undefined || schema === null ? text.noSchema : <TypeAndConstraints schema={schema} />}</p>
        <SchemaDescription schema={schema} />
        <TruncationMark schema={schema} pointer={pointer} truncated={truncated} />
      </>
    )}
    <Parts schema={schema} pointer={pointer} truncated={truncated} />
  </div>
);

const shownMax = 100;

const Parts = ({ schema, pointer, truncated }: TreeProps) => {
  const [isExpanded, setIsExpanded] = useState(false);
  const parts = partsOf(schema, pointer);
  if (parts.length === 0) return null;
  const visibleParts = isExpanded ? parts : parts.slice(0, shownMax);
  return (
    <ul className={styles.tree}>
      {visibleParts.map((part) => (
        <Part key={part.pointer} part={part} truncated={truncated} />
      ))}
      {visibleParts.length < parts.length ? (
        <li>
          <Button variant="subtle" size="compact-xs" onClick={() => setIsExpanded(true)}>
            {text.moreMembers(parts.length - visibleParts.length)}
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
            aria-label={open ? text.close(name) : text.open(name)}
            onClick={() => setOpen(!open)}
          >
            {open ? <ChevronDown size={16} aria-hidden /> : <ChevronRight size={16} aria-hidden />}
            {label}
          </button>
        ) : (
          <span className={styles.leaf}>{label}</span>
        )}{' '}
        <TypeAndConstraints schema={schema} /> {required ? <strong>{text.isRequired}</strong> : null}{' '}
        {isDeprecated ? <strong>{text.deprecated}</strong> : null}{' '}
        <TruncationMark schema={schema} pointer={pointer} truncated={truncated} />
      </div>
      <div className={styles.memberText}>
        <SchemaDescription schema={schema} />
      </div>
      {open ? <Parts schema={schema} pointer={pointer} truncated={truncated} /> : null}
    </li>
  );
};

const TruncationMark = ({ schema, pointer, truncated }: TreeProps) =>
  isTruncated(schema, pointer, truncated) ? <em className={styles.quiet}>{text.truncatedHere}</em> : null;

/** The type, allowed values and constraints of a schema. */
const TypeAndConstraints = ({ schema }: { readonly schema: unknown }) => (
  <span>
    <TypeName schema={schema} /> <SchemaConstraints schema={schema} />
  </span>
);

export const TypeName = ({ schema }: { readonly schema: unknown }) => (
  <span className={styles.type}>{describeType(schema)}</span>
);

export const SchemaConstraints = ({ schema }: { readonly schema: unknown }) => {
  const constraints = isSchema(schema) ? constraintsOf(schema) : [];
  return (
    <>
      {constraints.length > 0 ? <span className={styles.quiet}>{constraints.join('; ')}</span> : null}
      <Values schema={schema} />
    </>
  );
};

const valuesMax = 12;

const Values = ({ schema }: { readonly schema: unknown }) => {
  const [isExpanded, setIsExpanded] = useState(false);
  const values = isSchema(schema) ? enumOf(schema) : [];
  if (values.length === 0) return null;
  const visibleValues = isExpanded ? values : values.slice(0, valuesMax);
  return (
    <span className={styles.values}>
      {visibleValues.map((value, index) => (
        <code key={index}>{formatValue(value)}</code>
      ))}
      {visibleValues.length < values.length ? (
        <Button variant="subtle" size="compact-xs" onClick={() => setIsExpanded(true)}>
          {text.moreValues(values.length - visibleValues.length)}
        </Button>
      ) : null}
    </span>
  );
};

/** Returns the allowed values. If an array has none, returns those of its items. */
const enumOf = (schema: Readonly<Record<string, unknown>>): readonly unknown[] => {
  const values = listOf(schema, 'enum');
  return values.length > 0 || !isSchema(schema['items']) ? values : listOf(schema['items'], 'enum');
};

const SchemaDescription = ({ schema }: { readonly schema: unknown }) =>
  isSchema(schema) && typeof schema['description'] === 'string' ? (
    <Description markdown={schema['description']} />
  ) : null;
