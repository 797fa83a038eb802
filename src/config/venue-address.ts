import { z } from "zod";
import { plainAddress } from "../base/plain-address.ts";
import { duration } from "../domain/setting.ts";
import { connected, inEveryMode, key, quietly, signed } from "./bot-key.ts";

function url(protocols: readonly string[]) {
  const forms = protocols.map((protocol) => `${protocol}://…`).join(" or ");
  return z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1)),
      { error: `is not an address of the form ${forms}` },
    );
}

const chainId = z.int().min(1);
/** Only `account withdraw` reads it. */
const byHand = quietly({ modes: [] });
const field = (about: string) => key(z.string().min(1).optional(), byHand, about);

/** `venue` of a bot's YAML. Only replays do without. */
export const venueAddress = z
  .strictObject({
    rest: key(
      url(["http", "https"]),
      quietly(connected),
      "Address of the venue's REST interface. `venue` as a whole may be left out where a recording is replayed.",
    ),
    ws: key(url(["ws", "wss"]), quietly(connected), "Address of the venue's stream."),
    allowInsecure: key(
      z.boolean().default(false),
      quietly(connected),
      "Allows `http` and `ws` to another machine, where everyone in between can read and change what is sent.",
    ),
    chainId: key(
      chainId,
      inEveryMode,
      "Layer 2, which signs transactions and makes order ids; 1001 in a replay without `venue`.",
    ),
    l1ChainId: key(
      chainId.default(8217),
      quietly(signed),
      "Layer 1, which signs what makes and ends session wallets.",
    ),
    nonceWindow: key(
      duration({ min: 1_000 }).optional(),
      signed,
      "The venue may accept a command for this long after its nonce, the venue's time at signing: a placement without a response counts as open until then. Left out: 1m.",
    ),
    /** The structure of withdrawals, which the interface does not show; left out, none is signed (D9). */
    withdrawal: z
      .strictObject({
        byte: key(
          z.int().min(0).max(255),
          byHand,
          "Command byte of a withdrawal, for `account withdraw`.",
        ),
        fields: z
          .strictObject({
            l1owner: field("Its field for the owner."),
            to: field("Its field for the recipient."),
            token: field("Its field for the token."),
            value: field("Its field for the amount."),
          })
          .optional(),
      })
      .optional(),
  })
  .superRefine(({ rest, ws, allowInsecure }, context) => {
    if (allowInsecure) return;
    for (const [name, address] of [
      ["rest", rest],
      ["ws", ws],
    ] as const) {
      const problem = plainAddress(address);
      if (problem === undefined) continue;
      const message = `${problem}, or set venue.allowInsecure: true`;
      context.addIssue({ code: "custom", path: [name], message });
    }
  });

export type VenueSettings = z.output<typeof venueAddress>;

/** The venue of a replay whose configuration has none: it only makes order ids, with the paper venue's chain. */
export const noVenue: VenueSettings = {
  rest: "",
  ws: "",
  allowInsecure: false,
  chainId: 1001,
  l1ChainId: 8217,
};
