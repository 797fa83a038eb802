import { TouchlineError } from "../base/error.ts";
import { defineCommand } from "../spec/command.ts";
import { withdraw } from "../spec/commands/withdraw.ts";

/** What a withdrawal looks like to a venue: the interface does not show it, so the caller has to specify it (§4.1, D9). */
export interface WithdrawalStructure {
  /** Command byte; the paper venue's is 0x12. */
  readonly byte: number;
  /** Names of the four fields in the context, where they are not the paper venue's. */
  readonly fields?:
    | {
        readonly l1owner?: string | undefined;
        readonly to?: string | undefined;
        readonly token?: string | undefined;
        readonly value?: string | undefined;
      }
    | undefined;
}

/** The withdrawal of a venue whose structure is known. Throws `WITHDRAWAL_UNKNOWN` without one. */
export function withdrawalCommand(structure: WithdrawalStructure | undefined) {
  if (structure === undefined) {
    throw new TouchlineError(
      "WITHDRAWAL_UNKNOWN",
      "The structure of a withdrawal is not shown in the venue's interface, so none is signed.",
      {
        hint:
          "If you know it, say it: withdrawal: { byte: 0x12 } is the paper venue's, under venue: in a configuration, among the options " +
          "of connectVenue in a program; --command-byte 0x12 on the command line.",
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
