import { describe, expect, test } from "vitest";
import { auditProblem, repositoryProblem } from "../../scripts/release-problems.js";

describe("a release", () => {
  test.each([
    [{}],
    [{ repository: "" }],
    [{ repository: { type: "git" } }],
    [{ repository: { url: "git@example.org:a/b.git" } }],
    [{ repository: "a/b" }],
  ])("is refused without the address of the site that builds it: %j", (manifest) => {
    expect(repositoryProblem(manifest)).toMatch(/repository/);
  });

  test.each([["https://example.org/a/b"], [{ url: "git+https://example.org/a/b.git" }]])(
    "is accepted with %j",
    (repository) => {
      expect(repositoryProblem({ repository })).toBeUndefined();
    },
  );

  test("needs an answer about advisories: none is not the same as no advisories", () => {
    const refused = {
      message: "405 Method Not Allowed",
      statusCode: 405,
      error: { summary: "", detail: "" },
    };
    const known = {
      metadata: { vulnerabilities: { high: 1, total: 1 } },
      vulnerabilities: { elliptic: {} },
    };
    expect(auditProblem(JSON.stringify(refused))).toMatch(/could not ask.*405/);
    for (const text of ["", "<html>", "null", "{}", '{"metadata":{}}']) {
      expect(auditProblem(text)).toMatch(/could not ask/);
    }
    expect(auditProblem(JSON.stringify(known))).toMatch(/1 advisories \(elliptic\)/);
    const none = { metadata: { vulnerabilities: { total: 0 } }, vulnerabilities: {} };
    expect(auditProblem(JSON.stringify(none))).toBeUndefined();
  });
});
