export const revisions = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof revisions)[number];

export interface Exemption {
  readonly revisions: readonly Revision[];
  readonly reason: string;
  /** Names as in the suite's lists of expected failures: `scenario:check`, or `scenario` if both are equal. */
  readonly checks: readonly string[];
}

/**
 * The checks of the conformance suite that fail, with the reason why each does not apply. The suite runs every scenario
 * of a revision, also those for capabilities that a server does not advertise.
 */
export const exemptions: readonly Exemption[] = [
  {
    revisions,
    reason: "Calls a tool that only the suite's own server has.",
    checks: [
      'json-schema-2020-12:json-schema-2020-12-tool-found',
      'tools-call-audio',
      'tools-call-embedded-resource',
      'tools-call-error',
      'tools-call-image',
      'tools-call-mixed-content',
      'tools-call-simple-text',
      'tools-call-with-progress',
    ],
  },
  {
    revisions: ['2025-11-25'],
    reason: "Calls a tool that only the suite's own server has.",
    checks: [
      'elicitation-sep1034-defaults:elicitation-sep1034-general',
      'elicitation-sep1330-enums:elicitation-sep1330-general',
      'tools-call-elicitation',
      'tools-call-sampling',
    ],
  },
  {
    revisions: ['2026-07-28'],
    reason: "Needs a tool of the suite's own server to be testable, and says so.",
    checks: [
      'server-stateless:sep-2575-server-rejects-undeclared-capability',
      'server-stateless:sep-2575-missing-capability-http-400',
      'server-stateless:sep-2575-http-server-no-independent-requests-on-stream',
      'server-stateless:sep-2575-server-no-log-without-loglevel',
    ],
  },
  {
    revisions: ['2026-07-28'],
    reason:
      "Calls tools and prompts of the suite's own server that ask the client for input. Portico's tools ask for nothing.",
    checks: [
      'input-required-result-basic-elicitation:sep-2322-elicitation-incomplete',
      'input-required-result-basic-list-roots:sep-2322-list-roots-incomplete',
      'input-required-result-basic-sampling:sep-2322-sampling-incomplete',
      'input-required-result-capability-check:sep-2322-respect-client-capabilities',
      'input-required-result-multi-round:sep-2322-multi-round-r1',
      'input-required-result-multiple-input-requests:sep-2322-multiple-inputs-incomplete',
      'input-required-result-non-tool-request:sep-2322-non-tool-incomplete',
      'input-required-result-request-state:sep-2322-request-state-incomplete',
      'input-required-result-result-type:sep-2322-result-type-included',
      'input-required-result-tampered-state:sep-2322-reject-tampered-state',
    ],
  },
  {
    revisions,
    reason: 'Prompts, resources and completion are optional and not advertised.',
    checks: [
      'completion-complete',
      'prompts-get-embedded-resource',
      'prompts-get-simple',
      'prompts-get-with-args',
      'prompts-get-with-image',
      'prompts-list',
      'resources-list',
      'resources-read-binary',
      'resources-read-text',
      'resources-templates-read',
    ],
  },
  {
    revisions: ['2025-11-25'],
    reason: 'Resources and logging are optional and not advertised.',
    checks: ['logging-set-level', 'resources-subscribe', 'resources-unsubscribe', 'tools-call-with-logging'],
  },
  {
    revisions: ['2026-07-28'],
    reason: 'Prompts and resources are optional and not advertised. The hints of tools/list are checked.',
    checks: [
      'caching:sep-2549-prompts-list-caching-hints',
      'caching:sep-2549-resources-list-caching-hints',
      'caching:sep-2549-resources-templates-list-caching-hints',
    ],
  },
  {
    revisions: ['2026-07-28'],
    reason:
      'No argument of a tool is sent as a header (`x-mcp-header`): optional, and the suite says that it cannot test it.',
    checks: [
      'http-custom-header-server-validation:sep-2243-server-no-xmcp-tool',
      'http-custom-header-server-validation:sep-2243-server-decode-base64',
      'http-custom-header-server-validation:sep-2243-server-validate-param-match',
      'http-custom-header-server-validation:sep-2243-server-reject-invalid-param-chars',
      'http-custom-header-server-validation:sep-2243-server-reject-param-mismatch',
    ],
  },
  {
    revisions: ['2026-07-28'],
    reason: 'The extension for tasks is optional and not advertised.',
    checks: [
      'tasks-capability-negotiation:tasks-extension-advertised',
      'tasks-capability-negotiation:sep-2663-tasks-methods-non-declaring',
      'tasks-capability-negotiation:sep-2663-server-rejects-undeclared-client',
      'tasks-capability-negotiation:tasks-per-request-meta-opt-in',
      'tasks-dispatch-and-envelope:tasks-server-directed-creation-no-hint',
      'tasks-dispatch-and-envelope:sep-2663-legacy-task-param-ignored',
      'tasks-dispatch-and-envelope:tasks-immediate-result-shortcut',
      'tasks-dispatch-and-envelope:tasks-result-type-complete-on-non-task-responses',
      'tasks-dispatch-and-envelope:sep-2663-durable-create-strong-consistency',
      'tasks-dispatch-and-envelope:sep-2663-tasks-get-invalid-task-id-32602',
      'tasks-lifecycle:tasks-sync-tool-call',
      'tasks-lifecycle:sep-2663-result-type-task-on-create',
      'tasks-lifecycle:sep-2663-tasks-get-status-working',
      'tasks-lifecycle:sep-2663-tasks-get-status-completed',
      'tasks-lifecycle:sep-2663-tool-error-uses-completed-status',
      'tasks-lifecycle:sep-2663-tasks-get-status-failed',
      'tasks-lifecycle:sep-2663-cancel-ack-empty-result',
      'tasks-lifecycle:tasks-cancel-terminal-idempotent-ack',
      'tasks-mrtr-composition:sep-2663-mrtr-synchronous-before-task-creation',
      'tasks-mrtr-input:sep-2663-tasks-get-status-input-required',
      'tasks-mrtr-input:tasks-mrtr-tasks-update-resumes',
      'tasks-mrtr-input:tasks-mrtr-partial-fulfillment',
      'tasks-request-headers:tasks-headers-tolerate-mcp-method-on-tools-call',
      'tasks-request-headers:sep-2663-routing-headers-accepted-on-tasks-get',
      'tasks-request-headers:sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get',
      'tasks-request-state-removal:tasks-request-state-removal-setup',
      'tasks-required-task-error:sep-2663-server-returns-missing-capability-when-required',
      'tasks-wire-fields:tasks-wire-field-renames',
      'tasks-wire-fields:tasks-no-early-ttl-expiry',
      'tasks-wire-fields:tasks-no-related-task-meta-on-inlined-result',
    ],
  },
];
