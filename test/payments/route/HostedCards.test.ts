/** Cards that payers enter on the provider's page: who gets a number, who opens a page, and who is asked next. */
import { expect } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { pathOf, submit, typedCard, visit, withoutCard } from "../../hosted/pages/PageVisits.ts"
import { attemptsOf, initiate, recordOf, untilStatus } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, declines, isLost, scripted } from "../support/ScriptedProvider.ts"

const PAGE = "https://pages.example/p1"

const page = accepts({
  state: "pending",
  providerPaymentId: null,
  nextAction: "redirect",
  actionData: { redirect_url: PAGE }
})

const { card_details: _, ...withoutDetails } = byCard()
const hosted = (country: string, description: string) => ({
  ...withoutDetails,
  card_entry: "hosted",
  country,
  description
})
const numbered = (country: string, description: string) => ({ ...byCard(), country, description })

onDatabasePaymentServer(
  "Cards on the provider's page",
  () => {
    const own = { takesCardNumbers: false }
    const made = { stripe: scripted("stripe", own), adyen: scripted("adyen", own), paypal: scripted("paypal") }
    return { ...made, providers: Object.values(made) }
  },
  (it, { adyen, paypal, stripe }) => {
    it.effect("are paid for on the sandbox's own page", () =>
      Effect.gen(function* () {
        const { payment_id, response } = yield* initiate(hosted("KE", "sandbox"))
        expect(response).toMatchObject({ status: "pending", next_action: "redirect", provider: "fiat" })
        const path = pathOf(response["redirect_url"])
        expect((yield* visit(path)).text).toContain('value="pay"')
        yield* submit(path, { action: "pay" })
        expect((yield* untilStatus(payment_id, "completed"))["card_details"]).toEqual({})
      })
    )

    it.effect("take the place of a number that is sent, which is dropped", () =>
      Effect.gen(function* () {
        yield* serveCountry("FR", ["stripe"])
        stripe.on("dropped", page)
        const { payment_id, response } = yield* initiate(numbered("FR", "dropped"))
        expect(response).toMatchObject({ status: "pending", next_action: "redirect", redirect_url: PAGE })
        expect(stripe.orders.at(-1)?.card).toBeNull()
        expect((yield* recordOf(payment_id))["card_details"]).toEqual({})
      })
    )

    it.effect("are asked of the next provider if the first opens no page, which gets no number either", () =>
      Effect.gen(function* () {
        yield* serveCountry("DE", ["stripe", "adyen"])
        stripe.on("no page", declines("too large"))
        adyen.on("no page", page)
        const { payment_id, response } = yield* initiate(numbered("DE", "no page"))
        expect(response).toMatchObject({ provider: "adyen", redirect_url: PAGE })
        expect((yield* attemptsOf(payment_id)).map((one) => one["outcome"])).toEqual(["declined", "accepted"])
        expect(adyen.orders.at(-1)?.card).toBeNull()
      })
    )

    it.effect("are sent to no other provider once a page may be open", () =>
      Effect.gen(function* () {
        yield* serveCountry("IT", ["stripe", "adyen"])
        stripe.on("lost page", isLost())
        const { payment_id, response } = yield* initiate(hosted("IT", "lost page"))
        expect(response).toMatchObject({ status: "pending", next_action: "check_status", provider: "stripe" })
        expect(adyen.timesAsked(payment_id)).toBe(0)
      })
    )

    it.effect("leave the number to a provider that takes it, and to it alone", () =>
      Effect.gen(function* () {
        yield* serveCountry("ES", ["paypal", "stripe"])
        paypal.on("takes it", declines("not now"))
        stripe.on("takes it", page)
        const { response } = yield* initiate(numbered("ES", "takes it"))
        expect(Redacted.value(paypal.orders.at(-1)!.card!).number).toBe("4242424242424242")
        expect(stripe.orders.at(-1)?.card).toBeNull()
        expect(response).toMatchObject({ provider: "stripe", next_action: "redirect" })
      })
    )

    it.effect("are led to by the hosted checkout, which asks for a number only where it is taken", () =>
      Effect.gen(function* () {
        yield* serveCountry("PT", ["stripe"])
        stripe.on("reviewed", page)
        const { path, payment_id } = yield* withoutCard({ country: "PT", description: "reviewed" })
        const asked = yield* visit(path)
        expect(asked.text).toContain("You enter your card on the next page")
        expect(asked.text).not.toMatch(/name="(number|expiry|cvv|holder)"/)
        expect((yield* submit(path, { action: "pay" })).status).toBe(303)
        expect(stripe.orders.at(-1)?.card).toBeNull()
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending", provider: "stripe" })
        expect((yield* visit(`${path}&sent=1`)).text).toContain(`content="0;url=${PAGE}"`)
        const later = yield* visit(path)
        expect(later.text).toContain(`href="${PAGE}"`)
        expect(later.text).not.toContain(`0;url=${PAGE}`)

        const known = yield* withoutCard({ country: "PT", description: "reviewed" })
        yield* submit(known.path, typedCard())
        expect(stripe.orders.at(-1)?.card).toBeNull()
        expect((yield* recordOf(known.payment_id))["card_details"]).toEqual({})

        yield* serveCountry("AT", ["paypal"])
        const raw = yield* withoutCard({ country: "AT" })
        expect((yield* visit(raw.path)).text).toMatch(/name="number"/)
        // The route decides on which page the card is entered, not a payer who leaves the number out.
        const omitted = yield* submit(raw.path, { action: "pay" })
        expect(omitted.status).toBe(400)
        expect(omitted.text).toMatch(/name="number"/)
        expect(paypal.timesAsked(raw.payment_id)).toBe(0)
      })
    )
  }
)
