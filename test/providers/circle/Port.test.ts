import { circle } from "../../../src/providers/circle/Circle.ts"
import { circleFake } from "../../../src/providers/circle/Fake.ts"
import { providerContract } from "../support/providerContract.ts"
import { recipientAddress } from "./Circle.ts"

providerContract(circle, circleFake, {
  payin: {
    currency: "USDC",
    order: (basics) => ({ ...basics, method: "crypto", walletAddress: { address: "", network: "POLYGON" } }),
    declines: "later"
  },
  payout: {
    currency: "USDC",
    order: (basics) => ({
      ...basics,
      method: "crypto",
      walletAddress: { address: recipientAddress, network: "ETHEREUM" }
    })
  }
})
