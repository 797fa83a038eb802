import type { RiskTrigger } from "../trigger.ts";

export const balanceDrift: RiskTrigger = {
  title: "balance drift",
  unit: "quote",
  summary:
    "Value at the mid of all balance changes of the run that no fill, fee, deposit, withdrawal or transfer explains, gains included (`BALANCE_DRIFT`).",
  scopes: ["bot"],
  extra: {},
  value: (measured) => measured.balanceDrift,
};
