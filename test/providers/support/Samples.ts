/** Orders by which an adapter is held to its promises: their amounts decide what its fake does with them. */
import { randomBytes } from "node:crypto"
import type { AnyCurrencyCode } from "../../../src/domain/CryptoAsset.ts"
import type { CountryCode } from "../../../src/domain/Country.ts"
import { OrgId, PaymentId } from "../../../src/domain/Identifiers.ts"
import { uuidv7 } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import { type Fate, magicDigits } from "../../../src/providers/fakes/Magic.ts"
import type { AttemptContext, PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { wireReference } from "../../../src/providers/port/WireReference.ts"

export interface Sample {
  readonly currency: string
  /** Hundredths of it, or units where it has none: a whole number of hundreds, and 150 000 unless it is said. */
  readonly hundredths?: bigint
  /** Fills in what the provider needs: the method, the country, the payer's or the recipient's side. */
  readonly order: (basics: PaymentOrder) => PaymentOrder
  /** Refusals may come after the answer: nothing is known before the customer has come, or the network has answered. */
  readonly declines?: "later"
}

export interface Samples {
  readonly payin?: Sample
  readonly payout?: Sample
  /** Whether a payin is given back. */
  readonly refund?: boolean
  /** It sends none. */
  readonly callbacks?: false
  readonly rawCards?: boolean
}

const newUuid = () => uuidv7(Date.now(), randomBytes(10))

export const newReference = () => wireReference(newUuid())

const HUNDREDTHS = 2

/** So much, with the digits that a fate goes by. */
export const magicMoney = (currency: string, fate: Fate, hundredths = 150_000n): Money => {
  const digits = magicDigits.find(([, one]) => one === fate)?.[0] ?? "00"
  const zero = Money.zero(currency as AnyCurrencyCode)
  const scale = 10n ** BigInt(Math.max(0, zero.exponent - HUNDREDTHS))
  return new Money({ currency: zero.currency, minor: (hundredths + BigInt(digits)) * scale })
}

export const orderOf = (kind: "payin" | "payout", { currency, hundredths, order }: Sample, fate: Fate): PaymentOrder =>
  order({
    reference: newReference(),
    paymentId: PaymentId.make(newUuid()),
    orgId: OrgId.make(newUuid()),
    flow: kind === "payin" ? "inbound" : "outbound",
    method: "card",
    country: "KE" as CountryCode,
    money: magicMoney(currency, fate, hundredths),
    description: "An order of a test",
    payer: { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" },
    mobileMoney: null,
    bank: null,
    card: null,
    walletAddress: null,
    recipient: null,
    checkoutUrl: "https://corridor.example/checkout/p1",
    returnUrl: "https://corridor.example/checkout/p1/return"
  })

export const attemptOf = (order: PaymentOrder, providerPaymentId: string | null = null): AttemptContext => ({
  reference: order.reference,
  providerPaymentId,
  leg: "payment",
  flow: order.flow,
  method: order.method,
  country: order.country,
  network: order.mobileMoney?.network ?? order.walletAddress?.network ?? null,
  money: order.money,
  sentAt: new Date(),
  orgId: order.orgId,
  configId: null,
  isWanted: true,
  broughtBy: null
})
