import type { Check } from "../checkup.ts";

/** Reports which library signs; each is tested with known values when it is loaded. */
export const signing: Check = {
  name: "signing",
  title: "signing library",
  needs: [],
  async run({ ports }) {
    const { name } = ports.crypto;
    return [
      {
        status: "ok",
        message:
          name === "secp256k1"
            ? "native libsecp256k1"
            : "ethers, in JavaScript: correct, but several times slower than libsecp256k1",
        hint:
          name === "secp256k1"
            ? undefined
            : "The optional package secp256k1 is not installed, or has no binding for this machine.",
        details: { library: name },
      },
    ];
  },
};
