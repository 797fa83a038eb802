import { authentication } from "./cases/authentication.case.ts";
import { conventions } from "./cases/conventions.case.ts";
import { decisionsOfMatching } from "./cases/decisions-matching.case.ts";
import { decisionsOfRest } from "./cases/decisions-rest.case.ts";
import { decisionsOfStreams } from "./cases/decisions-streams.case.ts";
import { decisionsOfTransactions } from "./cases/decisions-transactions.case.ts";
import { enumerations } from "./cases/enumerations.case.ts";
import { errorsAndLimits } from "./cases/errors-and-limits.case.ts";
import { marketData } from "./cases/market-data.case.ts";
import { orderQueries } from "./cases/order-queries.case.ts";
import { prices } from "./cases/prices.case.ts";
import { resources } from "./cases/resources.case.ts";
import { states } from "./cases/states.case.ts";
import { streams } from "./cases/streams.case.ts";
import { transactions } from "./cases/transactions.case.ts";
import { userEvents } from "./cases/user-events.case.ts";
import { wallet } from "./cases/wallet.case.ts";
import type { ConformanceCase } from "./conformance-case.ts";

/** Every case with the file it stands in. */
export const casesByFile: Readonly<Record<string, readonly ConformanceCase[]>> = {
  conventions,
  enumerations,
  resources,
  states,
  wallet,
  "order-queries": orderQueries,
  "market-data": marketData,
  transactions,
  prices,
  authentication,
  streams,
  "user-events": userEvents,
  "errors-and-limits": errorsAndLimits,
  "decisions-transactions": decisionsOfTransactions,
  "decisions-rest": decisionsOfRest,
  "decisions-matching": decisionsOfMatching,
  "decisions-streams": decisionsOfStreams,
};
