/** The rules whose limit is a number. */
type CountRule = "max-open-orders";

/** The rules whose limit is an amount or a state, as text. */
type TextRule =
  | "max-order-size"
  | "max-order-notional"
  | "max-position"
  | "max-net"
  | "price-collar"
  | "stop-side"
  | "live-book"
  | "stale-book"
  | "balance"
  | "budget"
  | "self-cross"
  | "reduce-only"
  | "price-rule";

/** Why our own risk gate denied a placement. DENIED is ours; an order that the venue refuses is REJECTED. */
export type DenyReason =
  | { readonly rule: TextRule; readonly limit: string; readonly actual: string }
  | { readonly rule: CountRule; readonly limit: number; readonly actual: number };
