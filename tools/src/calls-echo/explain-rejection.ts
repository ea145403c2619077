/** A known reason for the rejection of a request. It is printed, but the request still counts as invalid. */
interface Explanation {
  readonly pattern: RegExp;
  readonly text: string;
}

const explanations: readonly Explanation[] = [
  {
    pattern: /request\/(?:query|params)\S* must match exactly one schema in oneOf/,
    text: 'The validator converts texts to numbers and booleans before it compares alternatives.',
  },
  {
    pattern: /request\/query\S* must be (?:object|array|string)|request\/query\/\S+\/\S+ must /,
    text: 'OpenAPI does not define how values within values are written in a query.',
  },
  {
    pattern: /Parameter 'style' has incorrect value/,
    text: 'The validator does not know the default style of this location.',
  },
  {
    pattern: /must NOT have (?:more|fewer) than \d+ properties|duplicate items/,
    text: 'A tool does not limit the number of members, and does not require different items.',
  },
  {
    pattern:
      /must NOT have additional properties|must match exactly one schema in oneOf|must be equal to one of the allowed/,
    text: 'A tool accepts values that match several alternatives, further members, and any value of a very long list.',
  },
  {
    pattern: /request\/body\/(?:\S+\/){3,}\S+ must have required property/,
    text: 'A tool has five levels.',
  },
];

/** Explains a rejection of the validator; an empty text if nothing explains it. */
export const explainRejection = (message: string): string =>
  explanations.find(({ pattern }) => pattern.test(message))?.text ?? '';
