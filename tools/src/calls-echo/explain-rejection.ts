/** A known reason for the rejection of a request. It is printed, but the request still counts as invalid. */
interface Explanation {
  readonly pattern: RegExp;
  readonly text: string;
}

const explanations: readonly Explanation[] = [
  {
    pattern: /must match exactly one schema in oneOf/,
    text: 'The arguments fit several alternatives, which a tool accepts.',
  },
  {
    pattern: /request\/(?:query|params)\S* must be (?:object|array|string)/,
    text: 'The validator assembles an exploded object from other parameters, or does not know the style.',
  },
  {
    pattern: /must NOT have additional properties/,
    text: 'The document requires members that it forbids.',
  },
  {
    pattern: /is read-only/,
    text: 'The document says that only answers contain the whole body, or the items of a list.',
  },
  {
    pattern: /must match format/,
    text: 'A tool has five levels, and no formats of deeper ones; or the document contradicts the format.',
  },
  {
    pattern: /"message":"is required"|center is required/,
    text: 'A tool has five levels; the errors name the members that are missing below.',
  },
  {
    pattern: /no arguments fit/,
    text: 'The generator found no text for a pattern.',
  },
];

/** Explains why a request is not valid, or not prepared; an empty text if nothing explains it. */
export const explainRejection = (message: string): string =>
  explanations.find(({ pattern }) => pattern.test(message))?.text ?? '';
