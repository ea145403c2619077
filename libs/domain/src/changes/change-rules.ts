/** The rules for schemas, which each have a prefix for their position. */
const schemaRules = [
  ...['type-changed', 'type-generalized', 'type-specialized', 'list-of-types-narrowed', 'list-of-types-widened'],
  ...['became-nullable', 'became-not-nullable'],
  ...[
    'became-enum',
    'enum-removed',
    'enum-value-added',
    'enum-value-removed',
    'const-added',
    'const-changed',
    'const-removed',
  ],
  ...['min', 'max', 'exclusive-min', 'exclusive-max', 'max-length', 'min-items', 'max-items'].flatMap((name) =>
    ['set', 'increased', 'decreased', 'unset'].map((action) => `${name}-${action}`),
  ),
  ...['min-length', 'min-properties', 'max-properties'].flatMap((name) => [`${name}-increased`, `${name}-decreased`]),
  ...[
    'multiple-of-added',
    'multiple-of-changed',
    'multiple-of-removed',
    'unique-items-required',
    'unique-items-removed',
  ],
  ...['pattern-added', 'pattern-changed', 'pattern-removed'],
  ...['pattern-property', 'property-names', 'dependent-required', 'dependent-schema', 'contains', 'not', 'if'].flatMap(
    (name) => [`${name}-added`, `${name}-removed`],
  ),
  ...['unevaluated-properties', 'unevaluated-items', 'external-reference'].flatMap((name) => [
    `${name}-added`,
    `${name}-removed`,
  ]),
  ...['additional-properties-narrowed', 'additional-properties-widened', 'forbidden', 'allowed', 'schema-changed'],
  ...['any-of', 'one-of'].flatMap((name) => [
    `${name}-added`,
    `${name}-removed`,
    `${name}-changed`,
    `wrapped-in-${name}`,
    `unwrapped-from-${name}`,
  ]),
];

const schemaPrefixes = [
  ...['request-parameter', 'request-body', 'request-property'],
  ...['response-body', 'response-property', 'response-header'],
];

/**
 * The ids of all rules (extensions, section 8): those of oasdiff where it has the rule, because callers have lists of
 * them. They are stable.
 */
export const changeRules: ReadonlySet<string> = new Set([
  'comparison-incomplete',
  ...['api-removed-without-deprecation', 'api-removed-with-deprecation'],
  ...['api-path-removed-without-deprecation', 'api-path-removed-with-deprecation', 'endpoint-added'],
  ...['endpoint-deprecated', 'endpoint-reactivated', 'api-operation-id-added', 'api-operation-id-removed'],
  ...['api-security-added', 'api-security-removed', 'api-security-scope-added', 'api-security-component-type-changed'],
  ...['api-security-alternative-added', 'api-security-alternative-removed'],
  ...[
    'api-server-added',
    'api-server-removed',
    'webhook-added',
    'webhook-removed',
    'callback-added',
    'callback-removed',
  ],
  ...['new-required-request-parameter', 'new-optional-request-parameter', 'new-request-path-parameter'],
  ...['request-parameter-removed', 'request-parameter-removed-with-deprecation'],
  ...['became-required', 'became-optional', 'deprecated', 'reactivated', 'style-changed', 'explode-changed'].map(
    (name) => `request-parameter-${name}`,
  ),
  ...['allow-reserved-removed', 'content-type-changed'].map((name) => `request-parameter-${name}`),
  ...['added', 'changed', 'removed'].map((action) => `request-parameter-default-value-${action}`),
  ...['added-required', 'added-optional', 'became-required', 'became-optional', 'removed'].map(
    (name) => `request-body-${name}`,
  ),
  ...['request-body-media-type-added', 'request-body-media-type-removed'],
  ...['new-required-request-property', 'new-required-request-property-with-default', 'new-optional-request-property'],
  ...['removed', 'became-required', 'became-required-with-default', 'became-optional'].map(
    (name) => `request-property-${name}`,
  ),
  ...['response-success-status', 'response-non-success-status', 'response-media-type'].flatMap((name) => [
    `${name}-added`,
    `${name}-removed`,
  ]),
  ...['response-header-added', 'response-header-became-optional'],
  ...['optional-response-header-removed', 'required-response-header-removed'],
  ...['response-required-property', 'response-optional-property'].flatMap((name) => [
    `${name}-added`,
    `${name}-removed`,
  ]),
  ...['response-property-became-optional', 'response-property-became-required'],
  ...['request-property', 'response-property'].flatMap((prefix) =>
    ['read-only', 'write-only'].flatMap((flag) => [`${prefix}-became-${flag}`, `${prefix}-became-not-${flag}`]),
  ),
  ...['request-property', 'response-property'].flatMap((prefix) => [`${prefix}-deprecated`, `${prefix}-reactivated`]),
  ...schemaPrefixes.flatMap((prefix) => schemaRules.map((rule) => `${prefix}-${rule}`)),
]);
