import { TouchlineError } from "../../base/error.ts";
import type { Check, Checkup, Finding } from "./checkup.ts";
import { balances } from "./checks/balances.ts";
import { clock } from "./checks/clock.ts";
import { host } from "./checks/host.ts";
import { journal } from "./checks/journal.ts";
import { markets } from "./checks/markets.ts";
import { probe } from "./checks/probe.ts";
import { rateLimit } from "./checks/rate-limit.ts";
import { signer } from "./checks/signer.ts";
import { signing } from "./checks/signing.ts";
import { sources } from "./checks/sources.ts";
import { stream } from "./checks/stream.ts";

/** All checks in the order in which they run; a check may use the results of earlier ones. */
export const checks: readonly Check[] = [
  host,
  signing,
  clock,
  signer,
  probe,
  markets,
  stream,
  sources,
  balances,
  journal,
  rateLimit,
];

/** Runs every check and passes each finding to `onFinding` as soon as it is known. Resolves with all findings. */
export async function runChecks(
  checkup: Checkup,
  onFinding: (check: Check, finding: Finding) => void,
): Promise<readonly Finding[]> {
  const failed = new Set<string>();
  const all: Finding[] = [];
  for (const check of checks) {
    const missing = checks.filter(({ name }) => check.needs.includes(name) && failed.has(name));
    const findings = missing.length > 0 ? [skipped(missing)] : await findingsOf(check, checkup);
    if (findings.some(({ status }) => status === "problem" || status === "skipped")) {
      failed.add(check.name);
    }
    for (const finding of findings) {
      all.push(finding);
      onFinding(check, finding);
    }
  }
  return all;
}

const TRY_AGAIN = "Try again later; if the problem persists, contact the venue's operator.";

function skipped(missing: readonly Check[]): Finding {
  const titles = missing.map(({ title }) => title).join(", ");
  return { status: "skipped", message: `not checked; solve first: ${titles}` };
}

async function findingsOf(check: Check, checkup: Checkup): Promise<readonly Finding[]> {
  try {
    return await check.run(checkup);
  } catch (error) {
    if (!(error instanceof TouchlineError)) throw error;
    const { message, hint = check.defaultHint ?? TRY_AGAIN, code } = error;
    return [{ status: "problem", message, hint, details: { code } }];
  }
}
