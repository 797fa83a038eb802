import { z } from "zod";

/** A market as users write it, by its id or its ticker; gives `1_2` or `ETH_USDC`. */
export function marketName() {
  return z
    .string()
    .regex(/^[^_/\s]+[_/][^_/\s]+$/, "is not a market, write it like 1_2 or ETH/USDC")
    .transform((written) => written.replace("/", "_"));
}
