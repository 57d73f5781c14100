/** Orders in USDC, as the two providers of it are handed them. */
import { type About, amount, orderOf } from "./TestOrders.ts"
import type { Sample, Samples } from "./Samples.ts"

export const NOW = Date.parse("2026-03-01T10:00:00Z")

/** `address`: whom a payout reaches. */
export const cryptoOrders = (usual: string, address: string) => {
  const payin = (text: string, network = usual, about: About = {}) =>
    orderOf({
      method: "crypto",
      country: "US",
      money: amount(text, "USDC"),
      walletAddress: { address: "", network },
      ...about
    })
  const payout = (text: string, network = usual, about: About = {}) =>
    payin(text, network, { flow: "outbound", walletAddress: { address, network }, ...about })
  return { payin, payout }
}

const sampleOn = (network: string, address: string): Sample => ({
  currency: "USDC",
  order: (basics) => ({ ...basics, method: "crypto", walletAddress: { address, network } })
})

export const cryptoSamples = (networkIn: string, networkOut: string, address: string): Samples => ({
  payin: { ...sampleOn(networkIn, ""), declines: "later" },
  payout: sampleOn(networkOut, address)
})
