import { z } from "zod";
import { type Address, addressOf } from "../domain/ids.ts";
import { addressText } from "../spec/fields.ts";
import { inEveryMode, key, signed } from "./bot-key.ts";
import { signerSchema } from "./signer-config.ts";

const address = addressText.transform((text, context): Address => {
  const value = addressOf(text);
  if (value !== undefined) return value;
  context.addIssue({ code: "custom", message: "is not a 0x address of 20 bytes" });
  return z.NEVER;
});

/** `account` of a bot's YAML. */
export const accountSchema = z
  .strictObject({
    owner: key(
      address.optional(),
      inEveryMode,
      "The account that owns the orders; the signer's own address when left out.",
    ),
    shared: key(
      z.boolean().default(false),
      signed,
      "Whether others place orders for this account in the bot's markets. If so, orders that were placed around a power cut and are missing in the journal are left open with a warning, else canceled.",
    ),
    signer: signerSchema,
  })
  .refine(({ owner, signer }) => signer.type !== "session" || owner !== undefined, {
    path: ["owner"],
    message: "is missing: a session wallet needs an owner to trade for",
  });
