import { ProcessPool } from "../platform/process-pool.ts";
import { jobReport, type JobReport, type SweepJob } from "./job.ts";

const worker = import.meta.url.endsWith(".ts") ? "sweep-worker.ts" : "sweep-worker.js";

/** Child processes that run jobs; close it at the end. */
export function openJobPool(size: number): ProcessPool<SweepJob, JobReport> {
  return new ProcessPool({
    module: new URL(worker, import.meta.url),
    size,
    read: (message) => jobReport.parse(message),
  });
}
