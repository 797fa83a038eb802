import type { RiskTrigger } from "../trigger.ts";

export const balanceDrift: RiskTrigger = {
  title: "balance drift",
  unit: "quote",
  summary:
    "Value at the mid of the balance changes of the run that no fill, fee, deposit, withdrawal or transfer explains (`BALANCE_DRIFT`), gains included, each token's net of its own. Changes while events may have been missed do not count (`BALANCE_CHANGED`).",
  scopes: ["bot"],
  extra: {},
  value: (measured) => measured.balanceDrift,
};
