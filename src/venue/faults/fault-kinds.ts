import { clockSkew } from "./kinds/clock-skew.ts";
import { close } from "./kinds/close.ts";
import { drop } from "./kinds/drop.ts";
import { duplicate } from "./kinds/duplicate.ts";
import { halfOpen } from "./kinds/half-open.ts";
import { latency } from "./kinds/latency.ts";
import { reorder } from "./kinds/reorder.ts";
import { serverError } from "./kinds/server-error.ts";
import { timeoutAfter } from "./kinds/timeout-after.ts";
import { timeoutBefore } from "./kinds/timeout-before.ts";
import { withdrawalL1 } from "./kinds/withdrawal-l1.ts";

/** Every kind of fault. A new kind is one file and one line here. */
export const faultKinds = [
  latency,
  drop,
  duplicate,
  reorder,
  close,
  halfOpen,
  serverError,
  timeoutBefore,
  timeoutAfter,
  clockSkew,
  withdrawalL1,
] as const;

export type FaultName = (typeof faultKinds)[number]["name"];
