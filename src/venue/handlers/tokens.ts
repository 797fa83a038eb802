import { ok } from "../../base/result.ts";
import type { tokens as endpoint } from "../../spec/endpoints/tokens.ts";
import type { Handler } from "../handler.ts";

/** The paper venue has no layer 1, so its tokens have no contract. */
const NO_CONTRACT = "0x0000000000000000000000000000000000000000";

export const tokens: Handler<typeof endpoint> = ({ config }) =>
  ok(
    config.tokens.map((token) => ({
      tokenId: token.tokenId,
      l1Address: NO_CONTRACT,
      l1Symbol: token.symbol,
      l1Name: token.symbol,
      l1Decimal: token.decimals,
      l2Symbol: token.symbol,
      l2Name: token.symbol,
      image: "",
    })),
  );
