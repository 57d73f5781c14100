import { coinbase } from "../../../src/providers/coinbase/Coinbase.ts"
import { coinbaseFake } from "../../../src/providers/coinbase/Fake.ts"
import { providerContract } from "../support/providerContract.ts"
import { recipientAddress } from "./Coinbase.ts"

providerContract(coinbase, coinbaseFake, {
  payin: {
    currency: "USDC",
    order: (basics) => ({ ...basics, method: "crypto", walletAddress: { address: "", network: "BASE" } }),
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
