/** What the tests of Circle share. */
import { CountryCode } from "../../../src/domain/Country.ts"
import { circle } from "../../../src/providers/circle/Circle.ts"
import { circleFake } from "../../../src/providers/circle/Fake.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { memoryWire } from "../wire/MemoryWire.ts"
import { accountOf, money, orderOf } from "../wire/Orders.ts"

export const NOW = Date.parse("2026-03-01T10:00:00Z")

export const payin = (text: string, network = "ETHEREUM", about: Partial<PaymentOrder> = {}): PaymentOrder =>
  orderOf({
    method: "crypto",
    country: CountryCode.make("US"),
    money: money(text, "USDC"),
    walletAddress: { address: "", network },
    ...about
  })

export const recipientAddress = "0x8381470ED67C3802402dbbFa0058E8871F017A6F"

export const payout = (text: string, network = "ETHEREUM", about: Partial<PaymentOrder> = {}): PaymentOrder =>
  payin(text, network, { flow: "outbound", walletAddress: { address: recipientAddress, network }, ...about })

export const joined = (credentials: Readonly<Record<string, string>> = circleFake.credentials) => {
  const wire = memoryWire(circleFake, () => new Date(NOW))
  return { wire, provider: circle.connect(accountOf(wire.http, credentials)) }
}
