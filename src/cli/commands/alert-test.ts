import { defineCliCommand } from "../command.ts";
import { exitCode, usageError } from "../exit-code.ts";
import { asPath, argument } from "../option.ts";

export default defineCliCommand({
  summary: "send a test message to each alert channel of a bot",
  details:
    "It says what each channel answered, and exits with 1 when one did not take the message. No bot has to run.",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  examples: ["alert test my-bot.yaml"],
  async run({ args, overrides, env, terminal }) {
    const { loadBotConfig } = await import("../../config/load-bot-config.ts");
    const { openChannel } = await import("../../config/alerts-config.ts");
    const { sendMessage } = await import("../../alerts/channel-request.ts");
    const { messageOf } = await import("../../alerts/alert-message.ts");
    const { numbered } = await import("../../alerts/alert.ts");
    const { createHttp } = await import("../../platform/http.ts");
    const { botName } = await import("../bot-alerts.ts");
    const config = await loadBotConfig(args.config, { overrides, env });
    if (config.alerts.length === 0) throw usageError(`${args.config} has no alerts.`);
    const channels = config.alerts.map((channel) => openChannel(channel, env));
    const timeMs = Date.now();
    const alert = numbered(
      { code: "ALERT_TEST", timeMs, text: "a test: alerts of this bot arrive here" },
      `test-${timeMs.toString(36)}`,
    );
    if (alert === undefined) return exitCode.failed;
    const http = createHttp();
    let failed = 0;
    for (const channel of channels) {
      const outcome = await sendMessage(http, channel, messageOf(botName(config.file), [[alert]]));
      const isSent = outcome.type === "sent";
      const reason = isSent ? null : outcome.reason;
      if (!isSent) failed += 1;
      const { name, type } = channel;
      terminal.emit("alert.test", { channel: name, type, sent: isSent, reason });
      terminal.print(`${name}: ${isSent ? "sent" : `not sent: ${outcome.reason}`}`);
    }
    await http.close();
    return failed === 0 ? exitCode.done : exitCode.failed;
  },
});
