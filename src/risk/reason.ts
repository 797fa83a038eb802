/** Why our own risk gate denied a placement. DENIED is ours; an order that the venue refuses is REJECTED. */
export type DenyReason =
  | {
      readonly rule: "max-order-size";
      readonly limit: string;
      readonly actual: string;
    }
  | {
      readonly rule: "max-order-notional";
      readonly limit: string;
      readonly actual: string;
    }
  | {
      readonly rule: "max-position";
      readonly limit: string;
      readonly actual: string;
    }
  | {
      readonly rule: "max-open-orders";
      readonly limit: number;
      readonly actual: number;
    }
  | {
      readonly rule: "price-collar";
      readonly limit: string;
      readonly actual: string;
    }
  | {
      readonly rule: "stop-side";
      readonly limit: string;
      readonly actual: string;
    }
  | {
      readonly rule: "live-book";
      readonly limit: string;
      readonly actual: string;
    }
  | {
      readonly rule: "stale-book";
      readonly limit: string;
      readonly actual: string;
    }
  | {
      readonly rule: "balance";
      readonly limit: string;
      readonly actual: string;
    }
  | {
      readonly rule: "self-cross";
      readonly limit: string;
      readonly actual: string;
    }
  | {
      readonly rule: "reduce-only";
      readonly limit: string;
      readonly actual: string;
    }
  | {
      readonly rule: "price-rule";
      readonly limit: string;
      readonly actual: string;
    };
