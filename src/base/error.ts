/** The one error class that crosses module borders. */

/** Values that may stand in an error's context: plain, small, never a key or signed bytes. */
export type ErrorContext = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface TouchlineErrorOptions {
  /** Plain facts about the failure. */
  readonly context?: ErrorContext;
  /** What the reader can do about it, one sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * An expected failure with a stable `code` (e.g. `CONFIG_INVALID`), a sentence a person can act on, plain context,
 * a hint and a cause. Bugs throw AssertionError instead.
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
 * A request that got no readable answer. `not-sent`: no byte left this machine, so the same command may be signed anew;
 * `unknown`: the venue may have accepted it; only a query by id can tell.
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
