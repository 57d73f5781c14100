/** What the tests of Coinbase share. */
import { CountryCode } from "../../../src/domain/Country.ts"
import { coinbase } from "../../../src/providers/coinbase/Coinbase.ts"
import { coinbaseFake } from "../../../src/providers/coinbase/Fake.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { memoryWire } from "../wire/MemoryWire.ts"
import { accountOf, money, orderOf } from "../wire/Orders.ts"

export const NOW = Date.parse("2026-03-01T10:00:00Z")

export const payin = (text: string, network = "BASE", about: Partial<PaymentOrder> = {}): PaymentOrder =>
  orderOf({
    method: "crypto",
    country: CountryCode.make("US"),
    money: money(text, "USDC"),
    walletAddress: { address: "", network },
    ...about
  })

export const recipientAddress = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

export const payout = (text: string, network = "BASE", about: Partial<PaymentOrder> = {}): PaymentOrder =>
  payin(text, network, { flow: "outbound", walletAddress: { address: recipientAddress, network }, ...about })

export const joined = (credentials: Readonly<Record<string, string>> = coinbaseFake.credentials) => {
  const wire = memoryWire(coinbaseFake, () => new Date(NOW))
  return { wire, provider: coinbase.connect(accountOf(wire.http, credentials)) }
}
