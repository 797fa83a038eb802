import { assert } from "../../base/assert.ts";
import { TouchlineError } from "../../base/error.ts";
import { defineCliCommand } from "../command.ts";
import { argumentList, asPath } from "../option.ts";
import { tokenFileOption } from "../token-file-option.ts";
import { codeVersion } from "../version.ts";

export default defineCliCommand({
  summary: "serve running bots to an agent, over the Model Context Protocol on stdin and stdout",
  details:
    "The agent reads what the bots' HTTP APIs show, and proposes parameters, which are replayed first. It acts only with a token of the role agent or control, from TOUCHLINE_TOKEN or --token-file, and never leaves a halt or changes a limit. Needs the package @modelcontextprotocol/sdk. See docs/agents.md.",
  args: { bots: asPath(argumentList("<bots...>", "YAML files of running bots on this machine")) },
  options: {
    tokenFiles: tokenFileOption,
  },
  examples: [
    "mcp my-bot.yaml",
    "mcp one.yaml two.yaml --token-file one.yaml=one.token --token-file two.yaml=two.token",
  ],
  endsBySignal: true,
  async run({ args, options, overrides, env, interrupt }) {
    const { McpServer, StdioServerTransport } = await sdk();
    const { apiBots } = await import("../api-bots.ts");
    const { addTools } = await import("../mcp-server.ts");
    const { tokenFiles } = options;
    const [first, ...more] = await apiBots(args.bots, {
      tokenFiles,
      isAgent: true,
      overrides,
      env,
    });
    const server = new McpServer({ name: "touchline", version: codeVersion() });
    assert(first !== undefined, "a command has its arguments");
    addTools(server, [first, ...more]);
    // The client ends it so.
    process.stdin.once("end", () => interrupt.request());
    await server.connect(new StdioServerTransport());
    await interrupt.ended();
    await server.close();
  },
});

async function sdk() {
  try {
    const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
    const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
    return { McpServer, StdioServerTransport };
  } catch (cause) {
    throw new TouchlineError(
      "MCP_MISSING",
      "`touchline mcp` needs the package @modelcontextprotocol/sdk, which cannot be loaded.",
      { hint: "Install it beside touchline: npm install @modelcontextprotocol/sdk@1.", cause },
    );
  }
}
