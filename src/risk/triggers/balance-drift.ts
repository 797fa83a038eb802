import type { RiskTrigger } from "../trigger.ts";

export const balanceDrift: RiskTrigger = {
  title: "unexplained change of the balances",
  unit: "quote",
  summary:
    "Value of the changes of the account's balances in this run that nothing explains (`BALANCE_DRIFT`), gains and losses alike, in tokens of the bot's markets.",
  scopes: ["bot"],
  extra: {},
  value: (measured) => measured.balanceDrift,
};
