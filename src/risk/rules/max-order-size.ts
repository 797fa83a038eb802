import { baseOf } from "../exposure.ts";
import { defineRule } from "../rule.ts";
import { beyondSize, sizeLimit } from "../size-limit.ts";

/** A single order's quantity. */
export const maxOrderSize = defineRule({
  name: "max-order-size",
  summary:
    "Largest quantity of a single order, base token, or `{ quote: … }` for its worth at the mid.",
  params: sizeLimit(),
  default: null,
  check(proposal, { mid }, limit) {
    return beyondSize("max-order-size", limit, baseOf(proposal, mid), mid);
  },
});
