import { toHex } from "../../../base/hex.ts";
import type { CommandOutcome } from "../../../domain/command.ts";
import type { OrderId } from "../../../domain/ids.ts";
import { probeVerdict } from "../../../kernel/probe.ts";
import { CommandSigner } from "../../../spec/sign-command.ts";
import { type Check, type Checkup, type Finding, venueNowMs } from "../checkup.ts";

const TRIES = 3;
const PAUSE_MS = 500;

/** Whether the venue takes what we sign: a cancel of an order that cannot exist. "No such order" means it does. */
export const probe: Check = {
  name: "probe",
  title: "chain and signature",
  needs: ["clock"],
  async run(checkup) {
    const { found, config } = checkup;
    const { chainId } = config.venue;
    if (found.signer === undefined || found.owner === undefined) {
      return [{ status: "skipped", message: "not looked at: there is no key to sign with" }];
    }
    const outcome = await sendProbe(checkup, found.signer, found.owner);
    return [findingOf(outcome, chainId)];
  },
};

async function sendProbe(
  checkup: Checkup,
  signer: NonNullable<Checkup["found"]["signer"]>,
  owner: NonNullable<Checkup["found"]["owner"]>,
): Promise<CommandOutcome> {
  const { ports, client, config } = checkup;
  const { crypto } = ports;
  const commandSigner = new CommandSigner({ owner, chainId: config.venue.chainId, crypto, signer });
  const orderId = toHex(ports.randomBytes(32)) as OrderId;
  for (let attempt = 1; ; attempt += 1) {
    const nonce = venueNowMs(checkup);
    const outcome = await client.submit(
      "cancel",
      commandSigner.sign({ type: "cancel", orderId, nonce }),
    );
    if (probeVerdict(outcome) !== "unreadable" || attempt >= TRIES) return outcome;
    await new Promise<void>((resolve) => {
      ports.timer.after(PAUSE_MS, resolve);
    });
  }
}

function findingOf(outcome: CommandOutcome, chainId: number): Finding {
  const details = { chainId, outcome: outcome.type };
  const said = outcome.type === "accepted" ? "" : outcome.message;
  switch (probeVerdict(outcome)) {
    case "proven":
      return {
        status: "ok",
        message: `chain id ${chainId} and signature are accepted (a cancel of a random order id)`,
        details,
      };
    case "refused":
      return {
        status: "problem",
        message: `the venue does not take a harmless signed cancel: ${said}`,
        hint:
          outcome.type === "refused" && outcome.reason === "invalid"
            ? `venue.chainId is ${chainId} here: ask the venue for its layer-2 chain id.`
            : "account.owner and account.signer do not belong together: touchline session list",
        details,
      };
    case "unreadable":
      return {
        status: "warning",
        message: `chain id and signature are not proven: the answer to a harmless signed cancel says nothing of them (${said})`,
        hint: "Try again; a bot starts with the same warning.",
        details,
      };
  }
}
