/** Quotes one level on each side, far enough from the mid that a quiet test sees no fill. */
export const ONE_LEVEL_MAKER = `  - name: maker
    plugin: pure-market-making
    market: "1_2"
    params: { bidSpread: 1%, askSpread: 1%, size: "0.5", levels: 1, levelSpread: 0.05%, refresh: 1s, tolerance: 0.2% }
`;

export const ENV_KEY_ACCOUNT = "account: { signer: { type: env, name: TOUCHLINE_KEY } }";

/** A bot's YAML for a test's paper venue; its journal stands beside the file. */
export function botYaml(bot: {
  readonly venue: { readonly rest: string; readonly ws: string };
  /** The block `account:`, and any other top-level block after it. */
  readonly account?: string;
  /** One entry of the list `strategies:`, indented by two. */
  readonly strategy?: string;
}): string {
  return `venue: { rest: "${bot.venue.rest}", ws: "${bot.venue.ws}", chainId: 1001 }
${bot.account ?? ENV_KEY_ACCOUNT}
journal: { path: ./journal }
strategies:
${bot.strategy ?? ONE_LEVEL_MAKER}`;
}
