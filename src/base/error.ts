/** Error classes for expected failures. */

/** Values allowed in an error's context: plain and small, never a key or signed bytes. */
export type ErrorContext = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface TouchlineErrorOptions {
  /** Facts about the failure, for logs. */
  readonly context?: ErrorContext;
  /** What the user can do about it, in one sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * An expected failure with a stable `code` (e.g. `CONFIG_INVALID`), a message that a user can act on, context, hint and cause.
 * Bugs throw AssertionError instead.
 */
export class TouchlineError extends Error {
  override readonly name: string = "TouchlineError";
  readonly code: string;
  readonly context: ErrorContext;
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: TouchlineErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.context = options.context ?? {};
    this.hint = options.hint;
  }
}

/**
 * A request that got no readable response. `not-sent`: no byte left this machine, so the request may be signed again;
 * `unknown`: the venue may have accepted it, so its fate must be queried by id.
 */
export class TransportError extends TouchlineError {
  override readonly name = "TransportError";
  readonly outcome: "not-sent" | "unknown";

  constructor(
    outcome: "not-sent" | "unknown",
    code: string,
    message: string,
    options: TouchlineErrorOptions = {},
  ) {
    super(code, message, options);
    this.outcome = outcome;
  }
}
