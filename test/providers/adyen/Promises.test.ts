/** What the port promises of every adapter, kept by Adyen's where Adyen can be asked at all: about links and payouts. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import type { CountryCode } from "../../../src/domain/Country.ts"
import { adyen } from "../../../src/providers/adyen/Adyen.ts"
import { adyenFake } from "../../../src/providers/adyen/Fake.ts"
import { promisesOf } from "../support/providerContract.ts"
import type { Sample } from "../support/Samples.ts"
import { payout } from "./Payouts.ts"

const byLink = (currency: string): Sample => ({ currency, order: (basics) => basics, declines: "later" })

const toBank: Sample = {
  currency: "EUR",
  order: (basics) => ({
    ...basics,
    method: "bank_transfer",
    country: "NL" as CountryCode,
    bank: payout().bank,
    recipient: payout().recipient
  })
}

/** A link is refused at once for Adyen's own reasons, and for the payer's only once a card was tried on its page. */
const OWN_REASONS = "a payin is declined for the provider's own reasons"

const links = (currency: string) =>
  promisesOf(adyen, adyenFake, { payin: byLink(currency) }).filter(({ name }) => name !== OWN_REASONS)

const ownReasons = promisesOf(adyen, adyenFake, { payin: { currency: "EUR", order: (basics) => basics } }).filter(
  ({ name }) => name === OWN_REASONS
)

const kept = {
  "by a link": [...links("EUR"), ...ownReasons],
  "by a link, in a currency that Adyen counts in its own way": links("ISK"),
  "to a bank account": promisesOf(adyen, adyenFake, { payout: toBank })
}

for (const [name, promises] of Object.entries(kept)) {
  describe(`what the port promises of Adyen ${name}`, () => {
    for (const promise of promises) it.live(promise.name, () => promise.check)
  })
}

it.effect("leaves no promise out", () =>
  Effect.sync(() => {
    expect(ownReasons).toHaveLength(1)
    expect(kept["by a link"]).toHaveLength(promisesOf(adyen, adyenFake, { payin: byLink("EUR") }).length)
  })
)
