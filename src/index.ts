// The library: the API client, the sandbox, webhook signatures, and their types and errors.

export {
  createTypedClient as createClient,
  type TypedClient as Client,
  type TypedClientOptions as ClientOptions,
} from './library/typed-client.js';
export {asId, idOf, objectOf} from './library/related.js';
export type {AttemptReport, CallOptions} from './client/call.js';
export type {Pages} from './client/pages.js';
export {
  createSandbox,
  Snapshot,
  type Delivered,
  type Delivering,
  type DeliverOptions,
  type Failing,
  type FailNext,
  type PayingOptions,
  type PaymentResult,
  type SetupResult,
  type TestEventQuery,
  type TestEvents,
  type TestSandbox,
  type TestSandboxOptions,
  type TriggerableType,
} from './library/test-sandbox.js';
export type {HandlerOptions, WebhookHandler} from './library/handler-receiver.js';
export {CARDS, type CardName} from './sandbox/payments/instruments.js';
export type {TriggerOptions} from './sandbox/sample-events.js';
export type {LogEntry} from './sandbox/requests/request-log.js';
export type {SandboxServer} from './sandbox/serve/sandbox-server.js';
export {CentavoError, EXIT_CODES, type Applied, type ErrorDetails, type ErrorKind} from './common/errors.js';
export {resources} from './api/registry.js';
export {EVENT_TYPES, type EventType} from './api/events.js';
export type {Id, Open, Unlisted} from './api/fields.js';
export type {Operation, Resource, Shape} from './api/operation.js';
export type {ApiErrorEntry, ApiRequest, ApiResponse, Deleted, Encoding, ListEnvelope, Transport} from './api/wire.js';
export type {
  Address,
  Billing,
  BillingStatement,
  BillingStatementLineItem,
  CardDetails,
  CheckoutSession,
  Customer,
  CustomerSession,
  CustomerSummary,
  Event,
  EventData,
  EventOf,
  FailureCode,
  LineItem,
  Objects,
  OperationName,
  PaidWith,
  Payment,
  PaymentError,
  PaymentIntent,
  PaymentMethod,
  PaymentMethodOptions,
  PaymentMethodType,
  PaymentSettings,
  Payout,
  PayoutTransaction,
  Refund,
  Related,
  SetupIntent,
  UnlistedEvent,
  Webhook,
} from './api/types.js';
export {constructEvent, SignatureError, verifySignature, type ConstructOptions} from './library/signatures.js';
export {
  explainReason,
  inspectSignature,
  isUsableSecret,
  signPayload,
  type Reason,
  type Verdict,
  type VerifyOptions,
  type WebhookMode,
} from './webhooks/signature/signature.js';
