/** Orders for Coinbase, and an account at its fake on the clock of the tests. */
import { coinbase } from "../../../src/providers/coinbase/CoinbaseAdapter.ts"
import { coinbaseFake } from "../../fakes/CoinbaseFake.ts"
import { againstFake, byTestClock } from "../support/AgainstFake.ts"
import { cryptoOrders } from "../support/CryptoOrders.ts"

export const recipientAddress = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

export const { payin, payout } = cryptoOrders("BASE", recipientAddress)

export const joined = againstFake(coinbase, coinbaseFake, { paces: byTestClock })
