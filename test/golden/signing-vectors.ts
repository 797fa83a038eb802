import { readFileSync } from "node:fs";
import { z } from "zod";

/** Signed transactions made with an independent library. The keys are for tests only. */
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
    }),
  ),
});

const file = form.parse(
  JSON.parse(readFileSync(new URL("signing-vectors.json", import.meta.url), "utf8")),
);

export const testKeys = file.keys;
export const allVectors = file.vectors;
export type SigningVector = (typeof allVectors)[number];

/** Commands 0x21 to 0x24 without tpsl. Those left out come with the stop orders, sessions and transfers. */
export const tradingVectors = allVectors.filter(
  (vector) =>
    ["0x21", "0x22", "0x23", "0x24"].includes(vector.command) &&
    !vector.contextJson.includes("tpsl"),
);
