import { readFileSync } from "node:fs";
import { z } from "zod";

/** Transactions that an independent library signed. The keys are for tests only. */
const form = z.object({
  keys: z.record(z.string(), z.object({ privateKey: z.string(), address: z.string() })),
  vectors: z.array(
    z.object({
      name: z.string(),
      signer: z.string(),
      nonce: z.number(),
      chainId: z.number(),
      command: z.string(),
      contextJson: z.string(),
      data: z.string(),
      rawTransaction: z.string(),
      hash: z.string(),
      takeProfitOrderId: z.string().optional(),
      stopLossOrderId: z.string().optional(),
      l1ChainId: z.number().optional(),
      typedMessage: z
        .object({ sessionWallet: z.string(), expiry: z.string(), nonce: z.string() })
        .optional(),
      l1signature: z.string().optional(),
    }),
  ),
});

const file = form.parse(
  JSON.parse(readFileSync(new URL("signing-vectors.json", import.meta.url), "utf8")),
);

export const testKeys = file.keys;
export const allVectors = file.vectors;
export type SigningVector = (typeof allVectors)[number];
