import type { FuzzReport, FuzzTarget } from "./target.ts";
import { responseTarget } from "./targets/answer.ts";
import { bodyTarget } from "./targets/body.ts";
import { commandTarget } from "./targets/command.ts";
import { contextTarget } from "./targets/context.ts";
import { depthScannerTarget } from "./targets/depth-scanner.ts";
import { hostileBookTarget } from "./targets/hostile-book.ts";
import { frameInputTarget, largeInputTarget, readInputTarget } from "./targets/kernel-inputs.ts";
import { queryTarget } from "./targets/query.ts";
import { serverFrameTarget } from "./targets/server-frame.ts";
import { streamRequestTarget } from "./targets/stream-request.ts";
import { transactionTarget } from "./targets/transaction.ts";

export const targets: readonly FuzzTarget[] = [
  queryTarget,
  bodyTarget,
  contextTarget,
  commandTarget,
  transactionTarget,
  streamRequestTarget,
  serverFrameTarget,
  depthScannerTarget,
  responseTarget,
  readInputTarget,
  frameInputTarget,
  largeInputTarget,
  hostileBookTarget,
];

/** Runs all targets, with `inputs` divided by weight, and reports each target when it has ended. */
export async function fuzz(
  inputs: number,
  seed: number,
  done: (report: FuzzReport) => void = () => undefined,
  only: (target: FuzzTarget) => boolean = () => true,
  stallMs = Number.POSITIVE_INFINITY,
): Promise<FuzzReport[]> {
  const chosen = targets.filter(only);
  const total = chosen.reduce((sum, { weight }) => sum + weight, 0);
  const reports: FuzzReport[] = [];
  for (const target of chosen) {
    const report = await target.run(Math.ceil((inputs * target.weight) / total), seed, stallMs);
    done(report);
    reports.push(report);
  }
  return reports;
}
