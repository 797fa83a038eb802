import { TouchlineError } from "../base/error.ts";
import { defineCommand } from "../spec/command.ts";
import { withdraw } from "../spec/commands/withdraw.ts";

/** The structure of a venue's withdrawals. The interface does not show it, so the caller has to specify it (§4.1, D9). */
export interface WithdrawalStructure {
  /** Command byte; the paper venue's is 0x12. */
  readonly byte: number;
  /** Names of the context's four fields, where they differ from the paper venue's. */
  readonly fields?:
    | {
        readonly l1owner?: string | undefined;
        readonly to?: string | undefined;
        readonly token?: string | undefined;
        readonly value?: string | undefined;
      }
    | undefined;
}

/** The withdraw command of a venue with this structure. Throws `WITHDRAWAL_UNKNOWN` when it is undefined. */
export function withdrawalCommand(structure: WithdrawalStructure | undefined) {
  if (structure === undefined) {
    throw new TouchlineError(
      "WITHDRAWAL_UNKNOWN",
      "The venue's interface does not show the structure of a withdrawal, so none is signed.",
      {
        hint:
          "If you know it, set it; the paper venue's is withdrawal: { byte: 0x12 }. It goes under venue: in a configuration and into the " +
          "options of connectVenue in a program. On the command line, use --command-byte 0x12.",
      },
    );
  }
  const { byte, fields = {} } = structure;
  const context = withdraw.context.transform(({ l1owner, to, token, value }) => ({
    [fields.l1owner ?? "l1owner"]: l1owner,
    [fields.to ?? "to"]: to,
    [fields.token ?? "token"]: token,
    [fields.value ?? "value"]: value,
  }));
  const { name, section, summary, paths, sessionMaySign } = withdraw;
  return defineCommand({ name, section, summary, paths, sessionMaySign, byte, context });
}
