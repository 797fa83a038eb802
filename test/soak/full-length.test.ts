// Tests that npm test has in a shorter form.
import "../recordings/golden.test.ts";
import "../runtime/stale-channels.test.ts";
import "../venue/agreement.prop.test.ts";
