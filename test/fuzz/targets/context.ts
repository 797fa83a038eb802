import fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import { commands } from "../../../src/spec/commands.ts";
import { decodeContext } from "../../../src/spec/context.ts";
import { few, flip, flipped, scratch, scratched, spoil, spoiled } from "../hostile.ts";
import { strictContext } from "../strict-context.ts";
import { defineTarget, Violation } from "../target.ts";
import { commandByteList, contexts, hexText } from "../wire-grammar.ts";

const grammar = contexts({ owner: hexText(20), address: hexText(20), orderId: hexText(32) });

/** `data` of a transaction: mostly a command byte and JSON. */
export const contextData: fc.Arbitrary<Uint8Array> = fc
  .constantFrom(...commandByteList)
  .chain((byte) =>
    fc.record({
      byte: fc.oneof(
        { weight: 12, arbitrary: fc.constant(byte as number) },
        { weight: 1, arbitrary: fc.nat(255) },
      ),
      context: grammar[byte] ?? fc.constant({}),
      spoils: few(spoil),
      scratches: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        { weight: 2, arbitrary: few(scratch) },
      ),
      flips: fc.oneof(
        { weight: 6, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: few(flip) },
      ),
    }),
  )
  .map(({ byte, context, spoils, scratches, flips }) => {
    const text = scratched(JSON.stringify(spoiled(context, spoils)), scratches);
    return flipped(Uint8Array.of(byte, ...Buffer.from(text)), flips);
  });

/** The context decoder accepts exactly the inputs that the strict checker accepts, and reads the same values. */
export const contextTarget = defineTarget({
  name: "command contexts",
  weight: 24,
  inputs: contextData,
  open: () => ({
    check: (data) => {
      const decoded = decodeContext(data);
      const strict = strictContext(data);
      if (decoded.ok && strict === undefined) {
        throw new Violation("accepted-invalid", `taken as ${decoded.value.name}`);
      }
      if (!decoded.ok && strict !== undefined) throw new Violation("refused-valid", decoded.error);
      if (!decoded.ok || strict === undefined) return "refused";
      const { name, context } = decoded.value;
      if (commands[name].byte !== strict.byte || !isDeepStrictEqual(context, strict.context)) {
        throw new Violation("wrong-answer", `read as ${name} ${JSON.stringify(context)}`);
      }
      return "taken";
    },
  }),
});
