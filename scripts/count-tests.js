// count-tests.js RESULTS.json CHECKS TESTS-EXIT-CODE: prints the verdict of .ci/run as its last line.
import fs from "node:fs";

const [file, checks, testsExit] = process.argv.slice(2);
const { passed, broken } = count();
const failures = broken.length;
for (const name of broken) console.error(`failed: ${name}`);
console.log(`${passed} passed, ${failures} failed`);
process.exitCode = failures > 0 || passed === 0 ? 1 : 0;

function count() {
  const broken = [];
  let passed = 0;
  for (const suite of readSuites()) {
    const failed = suite.assertionResults.filter(({ status }) => status === "failed");
    passed += suite.assertionResults.filter(({ status }) => status === "passed").length;
    broken.push(...failed.map(({ fullName }) => fullName));
    // A file that could not even be loaded has no tests to fail.
    if (suite.status === "failed" && failed.length === 0) broken.push(suite.name);
  }
  if (checks !== "passed") broken.push("npm run check");
  // Unhandled errors, or the time limit: the run failed though each test that ended passed.
  if (testsExit !== "0" && broken.length === 0) broken.push(`npm test, exit code ${testsExit}`);
  return { passed, broken };
}

function readSuites() {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")).testResults;
  } catch {
    return [];
  }
}
