/** Orders by which an adapter is held to its promises: their amounts decide what its fake does with them. */
import { randomBytes } from "node:crypto"
import type { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { uuidv7 } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import { digitsBelow, type Scenario, magicDigits } from "../../fakes/MagicAmounts.ts"
import type { AttemptContext, PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { wireReference } from "../../../src/providers/port/ProviderWrappers.ts"
import { attemptOf, orderOf } from "./TestOrders.ts"

export interface Sample {
  readonly currency: string
  /** Hundredths of it, or units where it has none: a whole number of hundreds, and 150 000 unless it is said. */
  readonly hundredths?: bigint
  /** Fills in what the provider needs: the method, the country, the payer's or the recipient's side. */
  readonly order: (basics: PaymentOrder) => PaymentOrder
  /** Refusals may come after the answer: nothing is known before the customer has come, or the network has answered. */
  readonly declines?: "later"
  /** Whole units only: they select the fake's behaviour, and a fraction is declined before it is sent. */
  readonly wholeUnits?: true
  /** Orders with a fixed amount: the provider declines to collect another one. */
  readonly otherAmount?: "declined"
  /** The proof of a callback stands in the address that the order named, and does not cover the body. */
  readonly provedBy?: "address"
  /** The provider's answers to enquiries do not name the money that came: its callbacks do. */
  readonly namedBy?: "callback"
}

export interface Samples {
  readonly payin?: Sample
  readonly payout?: Sample
  /** Whether a payin is given back. */
  readonly refund?: boolean
  /** The provider sends no callbacks. */
  readonly callbacks?: false
  readonly rawCards?: boolean
}

export const newReference = () => wireReference(uuidv7(Date.now(), randomBytes(10)))

/** Amount with the digits of a scenario. */
export const magicMoney = (
  currency: string,
  scenario: Scenario,
  hundredths = 150_000n,
  wholeUnits?: boolean
): Money => {
  const digits = magicDigits.find(([, one]) => one === scenario)?.[0] ?? "00"
  const zero = Money.zero(currency as AnyCurrencyCode)
  const scale = 10n ** BigInt(digitsBelow(zero.exponent, wholeUnits))
  return new Money({ currency: zero.currency, minor: (hundredths + BigInt(digits)) * scale })
}

export const sampleOrder = (
  kind: "payin" | "payout",
  { currency, hundredths, order, wholeUnits }: Sample,
  scenario: Scenario
): PaymentOrder =>
  order(
    orderOf({
      reference: newReference(),
      flow: kind === "payin" ? "inbound" : "outbound",
      country: "KE",
      money: magicMoney(currency, scenario, hundredths, wholeUnits)
    })
  )

/** Attempt just after it was sent. */
export const sampleAttempt = (order: PaymentOrder, providerPaymentId: string | null = null): AttemptContext =>
  attemptOf(order, { providerPaymentId, sentAt: new Date() })
