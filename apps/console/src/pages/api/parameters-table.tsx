import { words } from '../../words/words.ts';
import styles from './api.module.css';
import { Description } from './description.tsx';
import { formatValue, isSchema, partsOf, type Schema } from './schema-text.ts';
import { SchemaConstraints, SchemaTree, TypeName } from './schema-tree.tsx';

const text = words.api;

/** The parameters of an operation, from a slice. */
export const ParametersTable = ({
  parameters,
  truncated,
}: {
  readonly parameters: readonly Schema[];
  readonly truncated: readonly string[];
}) => (
  <table className={styles.parameters} role="table">
    <thead role="rowgroup">
      <tr role="row">
        {Object.values(text.parameter).map((header) => (
          <th key={header} role="columnheader" scope="col">
            {header}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {parameters.map((parameter, index) => (
        <Parameter key={index} parameter={parameter} pointer={`/parameters/${index}`} truncated={truncated} />
      ))}
    </tbody>
  </table>
);

const Parameter = ({
  parameter,
  pointer,
  truncated,
}: {
  readonly parameter: Schema;
  readonly pointer: string;
  readonly truncated: readonly string[];
}) => {
  const { name, in: place, required, deprecated, description, schema, example, $ref: reference } = parameter;
  const isDeep = isSchema(schema) && partsOf(schema, '').length > 0;
  return (
    <tr role="row">
      <td role="cell" data-label={text.parameter.name}>
        <code>{typeof name === 'string' ? name : ''}</code>
        {typeof reference === 'string' ? <span>{text.reference(reference)}</span> : null}
      </td>
      <td role="cell" data-label={text.parameter.in}>
        {typeof place === 'string' ? place : ''}
      </td>
      <td role="cell" data-label={text.parameter.type}>
        <TypeName schema={schema} />
      </td>
      <td role="cell" data-label={text.parameter.required}>
        {required === true ? <strong>{text.isRequired}</strong> : text.isOptional}
      </td>
      <td role="cell" data-label={text.parameter.description}>
        <div>
          {deprecated === true ? <strong>{text.deprecated} </strong> : null}
          {typeof description === 'string' ? <Description markdown={description} /> : null}
          <SchemaConstraints schema={schema} />
          {example === undefined ? null : <span>{words.schema.constraints.example(formatValue(example))}</span>}
          {isDeep ? (
            <SchemaTree
              schema={schema}
              pointer={`${pointer}/schema`}
              truncated={truncated}
              label={typeof name === 'string' ? name : ''}
              partsOnly
            />
          ) : null}
        </div>
      </td>
    </tr>
  );
};
