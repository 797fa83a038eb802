// What keeps a release from being published, as sentences: of package.json, and of the answer of `npm audit --json`.

/** The registry shows provenance only for the repository that the build service ran in. */
export function repositoryProblem({ repository }) {
  const url = typeof repository === "string" ? repository : repository?.url;
  if (typeof url !== "string" || url === "") {
    return "package.json has no repository. npm publish --provenance needs the address of the site that builds the release: set repository to { type: git, url: git+https://… }.";
  }
  return /^(git\+)?https:\/\/[^/\s]+\/\S+$/.test(url)
    ? undefined
    : `repository in package.json is "${url}"; npm publish --provenance needs an https address.`;
}

/** Undefined only when the registry was asked, and knows no advisory: an answer without counts is none. */
export function auditProblem(output) {
  const audit = parsed(output);
  const total = audit?.metadata?.vulnerabilities?.total;
  if (typeof total !== "number") {
    const reason = audit?.message ?? audit?.error?.summary ?? "the answer is no JSON";
    return `npm audit could not ask for advisories, so nothing is known about them: ${reason}. Repeat it with --registry=https://registry.npmjs.org on a machine that reaches it.`;
  }
  if (total === 0) return undefined;
  const names = Object.keys(audit.vulnerabilities ?? {}).join(", ");
  return `npm audit knows of ${total} advisories (${names}): update, or explain each in docs/security.md.`;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
