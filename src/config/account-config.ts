import { z } from "zod";
import { type Address, addressOf } from "../domain/ids.ts";
import { addressText } from "../spec/fields.ts";
import { inEveryMode, key } from "./bot-key.ts";
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
    signer: signerSchema,
  })
  .refine(({ owner, signer }) => signer.type !== "session" || owner !== undefined, {
    path: ["owner"],
    message: "is missing: a session wallet needs an owner to trade for",
  });
