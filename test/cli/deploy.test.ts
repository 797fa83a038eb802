import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { botYaml, ENV_KEY_ACCOUNT } from "../support/bot-yaml.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runLine } from "./run-line.ts";

const venue = { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1" };

/** A bot's file in a folder with this name, and a folder for what is written. */
function bot(more = "", folderName = "bots") {
  const folder = path.join(temporaryFolder(), folderName);
  mkdirSync(folder);
  const config = path.join(folder, "eth.yaml");
  writeFileSync(config, botYaml({ venue, account: `${ENV_KEY_ACCOUNT}\n${more}` }));
  return { config, folder, out: path.join(folder, "out") };
}

describe("deploy systemd", () => {
  it.each(["bots", '100 % my "bots" $HOME'])(
    "writes units of a bot and its guard in %s that systemd accepts",
    async (folderName) => {
      const { config, folder, out } = bot(
        "guard: { required: true }\ntiming: { stop: 90s }",
        folderName,
      );
      const run = ["deploy", "systemd", config, "--out", out, "--user", "root"];
      expect(await runLine(run)).toMatchObject({ code: 0 });
      const units = readdirSync(out);
      expect(units).toEqual(["touchline-eth-guard.service", "touchline-eth.service"]);
      const [guard = "", own = ""] = units.map((name) =>
        readFileSync(path.join(out, name), "utf8"),
      );
      for (const text of [guard, own]) expect(text).toMatch(/^PrivateTmp=yes$/m);
      expect(own).toMatch(/^ExecStop=-.* stop /m);
      expect(own).toMatch(/^TimeoutStopSec=120$/m);
      expect(guard).not.toContain("EnvironmentFile");
      if (folderName === "bots") expect(own).toContain(`ReadWritePaths=${folder}\n`);
      const verify = ["verify", ...units.map((name) => path.join(out, name))];
      const { error, stderr, status } = spawnSync("systemd-analyze", verify, { encoding: "utf8" });
      // Only where there is systemd.
      if (error === undefined) expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
      expect(await runLine([...run, "--json"])).toMatchObject({
        events: [{ code: "FILE_EXISTS" }],
      });
    },
  );

  it("refuses two bots that would have one name", async () => {
    const [one, other] = [bot(), bot()];
    const run = ["deploy", "systemd", one.config, other.config, "--out", one.out, "--json"];
    expect((await runLine(run)).events).toMatchObject([{ code: "NAMES_ALIKE" }]);
  });
});

describe("deploy compose", () => {
  it("writes a bot and a guard without its key, who share the journal and the control socket", async () => {
    const { config, out } = bot("dashboard: { port: 9000 }");
    const run = ["deploy", "compose", config, "--out", out, "--guard"];
    expect((await runLine([...run, "--json"])).events).toMatchObject([{ code: "NO_HOST" }]);
    expect(await runLine([...run, "--host", "bots.example"])).toMatchObject({ code: 0 });
    expect(readdirSync(out)).toEqual([".dockerignore", "Dockerfile", "compose.yaml"]);
    const { services, volumes } = parse(readFileSync(path.join(out, "compose.yaml"), "utf8"));
    const { eth, "eth-guard": guard } = services;
    expect(volumes).toEqual({ "eth-data": {} });
    for (const { command, volumes: mounts } of [eth, guard]) {
      expect(command).toContain("control.socket=/data/control.sock");
      expect(mounts).toEqual(["..:/bot:ro", "eth-data:/data"]);
    }
    expect(eth.command).toContain('dashboard.allowedHosts=["bots.example"]');
    expect(eth.ports).toEqual(["9000:9000"]);
    expect(eth.healthcheck.test.join(" ")).toContain("http://127.0.0.1:9000/healthz");
    expect(guard).not.toHaveProperty("env_file");
  });

  it("gives a keystore to the bot only", async () => {
    const { config, out, folder } = bot();
    const signer = `{ type: keystore, path: ${folder}/key.json, password: { env: PASSWORD } }`;
    const set = ["--set", `account.signer=${signer}`];
    const ran = await runLine(["deploy", "compose", config, "--out", out, "--guard", ...set]);
    expect(ran).toMatchObject({ code: 0, err: expect.stringContaining("npm pack") });
    const { services } = parse(readFileSync(path.join(out, "compose.yaml"), "utf8"));
    expect(services.eth.volumes).toContain("../key.json:/keystore.json:ro");
    expect(services.eth.command).toContain("account.signer.path=/keystore.json");
    expect(JSON.stringify(services["eth-guard"])).not.toContain("key.json");
  });
});
