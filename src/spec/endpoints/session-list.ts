import { z } from "zod";
import { answerLimits, OPEN_LIST_MAX } from "../answer-limits.ts";
import { defineEndpoint } from "../endpoint.ts";
import { addressText, counter, shownText, timeSec } from "../fields.ts";
import { list } from "../list.ts";

/** §2.3. Both times are in seconds (§1.3). */
export const sessionWallet = z.object({
  name: shownText(),
  /** Unlike other times it may be any number, since a client chose it. */
  expiry: counter,
  createdAt: timeSec,
  ownerAddress: addressText,
  sessionAddress: addressText,
  /** Active now: neither deleted nor expired. */
  applied: z.boolean(),
});
export type WireSessionWallet = z.output<typeof sessionWallet>;

export const sessionList = defineEndpoint({
  name: "session-list",
  section: "§4.1",
  summary: "Session wallets of an owner, including ended ones.",
  method: "GET",
  path: "/api/v1/wallet/session",
  query: z.object({
    /** The owner. */
    address: addressText,
  }),
  result: list(sessionWallet, OPEN_LIST_MAX),
  limits: answerLimits(OPEN_LIST_MAX),
});
