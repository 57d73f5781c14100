import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { ProviderConfigStore } from "../../../src/providers/configs/ProviderConfigStore.ts"
import { act } from "../../payments/support/ActionCalls.ts"
import { attemptsOf, eventually, initiate, recordOf, untilStatus } from "../../payments/support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../../payments/support/PaymentServer.ts"
import { byCard, byPhone } from "../../payments/support/Requests.ts"
import { RateLimits, RateLimitUsageStore } from "../../../src/platform/rateLimits/RateLimits.ts"
import { type Answer, send } from "../../support/Send.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { atCheckout, checkoutOf, pathOf, submit, typedCard, visit, withoutCard } from "./PageVisits.ts"
import { idFrom } from "../../support/AnyId.ts"

const payButton = '<button class="primary" name="action" value="pay">'
const refreshes = '<meta http-equiv="refresh" content="2;url=?t='
/** Script of a page that waits. */
const OWN_SCRIPT = /<script data-address="[^"<]*" data-seconds="\d+" data-version="[^"<]*">[^<]*<\/script>/

const form = { "content-type": "application/x-www-form-urlencoded" }

const isWaiting = ({ status, text }: Answer): boolean => status === 200 && text.includes(refreshes)

onDatabasePaymentServer(
  "Hosted checkout",
  () => ({}),
  (it) => {
    it.effect("shows who is paid how much and for what, with a policy that lets nothing else in", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* atCheckout({
          amount: 1234567.5,
          target_amount: 1234567.5,
          description: "Two seats",
          client_reference: "order-77"
        })
        const page = yield* visit(path)
        expect(page.status).toBe(200)
        for (const shown of [
          "Acme Pay",
          "1,234,567.50\u00a0KES",
          "Two seats",
          "order-77",
          payButton,
          'value="cancel"'
        ]) {
          expect(page.text).toContain(shown)
        }
        expect(page.text).not.toContain(payment_id)
        expect(page.text).not.toMatch(/<script|http-equiv="refresh"|href="http|src=/)
        expect(page.headers).toMatchObject({
          "content-type": "text/html; charset=utf-8",
          "cache-control": "no-store",
          "content-language": "en",
          "referrer-policy": "no-referrer",
          "x-content-type-options": "nosniff",
          "x-robots-tag": "noindex, nofollow"
        })
        expect(page.headers["content-security-policy"]).toMatch(
          /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/
        )
      })
    )

    it.effect("is one and the same nothing without its token, for payments that exist and those that do not", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* atCheckout()
        const other = yield* atCheckout()
        const token = path.slice(path.indexOf("?t=") + 3)
        const unknownId = idFrom("01890000-0000-7000-8000-000000000000")
        const wrong = [
          `/checkout/${payment_id}`,
          `/checkout/${payment_id}?t=`,
          `/checkout/${payment_id}?t=${"0".repeat(32)}`,
          `/checkout/${payment_id}?t=${token.slice(0, 31)}`,
          `/checkout/${payment_id}?t=${token}0`,
          `/checkout/${payment_id}?t=${token}&t=${token}`,
          `/checkout/${payment_id}?t=${"é".repeat(16)}`.replaceAll("é", encodeURIComponent("é")),
          `/checkout/${other.payment_id}?t=${token}`,
          `/checkout/${unknownId}?t=${token}`,
          yield* checkoutOf(unknownId),
          `/checkout/not-an-id?t=${token}`
        ]
        const answers = yield* Effect.forEach(wrong, (address) => visit(address))
        const submitted = yield* Effect.forEach(wrong, (address) => submit(address, { action: "pay" }))
        for (const answer of [...answers, ...submitted]) {
          expect(answer.status).toBe(404)
          expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8")
          expect(answer.text).toBe(answers[0]?.text)
        }
        expect(answers[0]?.text).toContain("Page not found")
        expect((yield* visit(path)).text).toContain(payButton)
        expect((yield* recordOf(payment_id))["status"]).toBe("pending")
      })
    )

    it.effect("pays once however often it is asked to, waits, and returns the customer when it is certain", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* atCheckout({
          return_url: "https://shop.example/thanks?basket=7&empty#top",
          client_reference: "order 7&8"
        })
        const paid = yield* submit(path, { action: "pay" })
        expect(paid.status).toBe(303)
        expect(paid.headers["location"]).toBe(`${path.slice(path.indexOf("?"))}&sent=1`)
        expect(yield* visit(path)).toSatisfy(isWaiting)
        expect((yield* submit(path, { action: "pay" })).status).toBe(303)
        expect((yield* submit(path, { action: "cancel" })).status).toBe(303)
        yield* untilStatus(payment_id, "completed")
        const back = yield* visit(path)
        expect(back.status).toBe(303)
        expect(back.headers["location"]).toBe(
          "https://shop.example/thanks?basket=7&empty&status=completed&reference=order+7%268#top"
        )
        expect(back.headers["referrer-policy"]).toBe("no-referrer")
        const fromForm = yield* visit(`${path}&sent=1`)
        expect(fromForm.status).toBe(200)
        expect(fromForm.text).toContain(
          'content="0;url=https://shop.example/thanks?basket=7&amp;empty&amp;status=completed&amp;reference=order+7%268#top"'
        )
        expect(yield* attemptsOf(payment_id)).toHaveLength(1)
      })
    )

    it.effect("calls the payment off and says so where it returns to", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* atCheckout({ return_url: "https://shop.example/thanks" })
        expect((yield* submit(path, { action: "cancel" })).status).toBe(303)
        const meanwhile = yield* visit(`${path}&sent=1`)
        expect(meanwhile.text).toContain("Payment cancelled")
        expect(meanwhile.text).not.toContain("being processed")
        expect(meanwhile.text, "it leads on by itself").toContain('http-equiv="refresh"')
        expect((yield* submit(path, { action: "pay" })).status).toBe(303)
        yield* untilStatus(payment_id, "failed")
        const back = yield* visit(path)
        expect(back.headers["location"]).toBe(
          `https://shop.example/thanks?status=failed&reference=${payment_id.slice(0, 23)}`
        )
      })
    )

    it.effect("shows the outcome itself where there is no return URL, on every visit", () =>
      Effect.gen(function* () {
        const paid = yield* atCheckout()
        const left = yield* atCheckout()
        yield* submit(paid.path, { action: "pay" })
        yield* submit(left.path, { action: "cancel" })
        yield* untilStatus(paid.payment_id, "completed")
        yield* untilStatus(left.payment_id, "failed")
        for (const suffix of ["", "&sent=1", ""]) {
          const done = yield* visit(`${paid.path}${suffix}`)
          expect(done.status).toBe(200)
          expect(done.text).toContain("Payment complete")
          expect((yield* visit(`${left.path}${suffix}`)).text).toContain("Payment cancelled")
          expect(done.text).not.toMatch(/http-equiv="refresh"|<input/)
          expect(Array.from(done.text.matchAll(/<button[^>]* value="(\w+)"/g), ([, act]) => act)).toEqual(["receipt"])
        }
        yield* act(paid.payment_id, { action: "refund" })
        yield* untilStatus(paid.payment_id, "refunded")
        expect((yield* visit(paid.path)).text).toContain("Payment refunded")
      })
    )

    it.effect("mails a receipt twice a minute, whichever instances are asked", () =>
      Effect.gen(function* () {
        const usage = yield* RateLimitUsageStore
        const { exchange } = yield* RateLimits
        const { path, payment_id } = yield* atCheckout()
        yield* submit(path, { action: "pay" })
        yield* untilStatus(payment_id, "completed")
        const mailed = Effect.map(submit(path, { action: "receipt" }), ({ headers }) =>
          String(headers["location"]).includes("receipt=sent")
        )
        expect(yield* mailed).toBe(true)
        const other = yield* nextId
        yield* usage.exchange(other, { number: 1, spent: [["receipts", payment_id, 1]] }, new Map())
        yield* exchange
        expect(yield* mailed).toBe(false)
      })
    )

    it.effect("serves payment links", () =>
      Effect.gen(function* () {
        const { payment_id, response } = yield* initiate(byPhone("+254712340005"))
        const path = pathOf(response["payment_link"])
        expect((yield* visit(path)).text).toContain(payButton)
        yield* submit(path, { action: "pay" })
        yield* untilStatus(payment_id, "completed")
        expect((yield* visit(path)).text).toContain("Payment complete")
      })
    )

    it.effect("waits while the outcome is not known, and while nothing is asked of the customer", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* withoutCard({ return_url: "https://shop.example/thanks" })
        const silent = yield* submit(path, typedCard("4000000000000119"))
        expect(silent.status).toBe(303)
        expect(yield* visit(path)).toSatisfy(isWaiting)
        expect((yield* submit(path, typedCard())).status).toBe(303)
        yield* eventually(attemptsOf(payment_id), ([attempt]) => attempt?.["outcome"] === "unknown")
        expect(yield* visit(path)).toSatisfy(isWaiting)
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
        expect(yield* attemptsOf(payment_id)).toHaveLength(1)

        const accepted = yield* initiate(byPhone("+254712340002"))
        expect(yield* visit(yield* checkoutOf(accepted.payment_id))).toSatisfy(isWaiting)
      })
    )

    it.effect("takes a card for a payment whose first card was not kept", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* withoutCard({ return_url: "https://shop.example/thanks?x=1" })
        const page = yield* visit(path)
        for (const field of ["number", "expiry", "cvv", "holder"]) expect(page.text).toContain(`name="${field}"`)
        const answers = yield* Effect.all(
          [submit(path, typedCard()), submit(path, typedCard()), submit(path, typedCard("5555555555554444"))],
          { concurrency: "unbounded" }
        )
        expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
        yield* untilStatus(payment_id, "completed")
        expect(yield* attemptsOf(payment_id)).toMatchObject([{ provider: "fiat", outcome: "accepted" }])
        expect((yield* visit(path)).headers["location"]).toBe(
          `https://shop.example/thanks?x=1&status=completed&reference=${payment_id.slice(0, 23)}`
        )
      })
    )

    it.effect("leads a given card on: to its confirmation, or to its refusal", () =>
      Effect.gen(function* () {
        const confirmed = yield* withoutCard()
        yield* submit(confirmed.path, typedCard("4000 0000 0000 3220"))
        const page = yield* visit(confirmed.path)
        expect(page.text).toContain("Confirm your payment")
        expect(page.text).not.toContain('name="number"')
        yield* submit(confirmed.path, { action: "pay" })
        yield* untilStatus(confirmed.payment_id, "completed")

        const declined = yield* withoutCard()
        yield* submit(declined.path, typedCard("4000000000000002"))
        yield* untilStatus(declined.payment_id, "failed")
        expect((yield* visit(declined.path)).text).toContain("Payment not completed")

        const left = yield* withoutCard()
        expect((yield* submit(left.path, { action: "cancel" })).status).toBe(303)
        expect((yield* recordOf(left.payment_id))["status"]).toBe("canceled")
        expect((yield* submit(left.path, typedCard())).status).toBe(303)
        expect(yield* attemptsOf(left.payment_id)).toEqual([])
      })
    )

    it.effect("says which field of a card is wrong, and repeats none of it", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* withoutCard()
        const wrong = { action: "pay", number: "4242424242424241", expiry: "12/19", cvv: "98765", holder: "Zuri Q" }
        const refused = yield* submit(path, wrong)
        expect(refused.status).toBe(400)
        for (const field of ["number", "expiry", "cvv"]) expect(refused.text).toContain(`id="${field}-problem"`)
        expect(refused.text).not.toContain('id="holder-problem"')
        for (const typed of [wrong.number, wrong.expiry, wrong.cvv, wrong.holder])
          expect(refused.text).not.toContain(typed)
        expect(yield* attemptsOf(payment_id)).toEqual([])
      })
    )

    it.effect("takes a card in the digits of an Arabic keyboard", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* withoutCard()
        const typed = { action: "pay", number: "٤٢٤٢ ٤٢٤٢ ٤٢٤٢ ٤٢٤٢", expiry: "١٢/٣٥", cvv: "١٢٣", holder: "ليلى" }
        expect((yield* submit(`${path}&lang=ar`, typed)).status).toBe(303)
        yield* untilStatus(payment_id, "completed")
      })
    )

    it.effect("keeps the payment for later when no provider takes cards at the moment", () =>
      Effect.gen(function* () {
        const configs = yield* serveCountry("RW", ["fiat"])
        const { path, payment_id } = yield* withoutCard({ country: "RW" })
        const store = yield* ProviderConfigStore
        yield* Effect.forEach(configs.flat(), ({ config_id }) => store.remove(config_id))
        const refused = yield* submit(path, typedCard())
        expect(refused.status).toBe(503)
        expect(refused.text).toContain("Nothing was charged")
        expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
        yield* serveCountry("RW", ["fiat"])
        expect((yield* submit(path, typedCard())).status).toBe(303)
        yield* untilStatus(payment_id, "completed")
      })
    )

    it.effect("shows what others wrote as text, whatever they wrote", () =>
      Effect.gen(function* () {
        const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)> & '</title>`
        const { path } = yield* atCheckout({ description: hostile, client_reference: hostile })
        const waiting = yield* Effect.zipRight(submit(path, { action: "pay" }), visit(path))
        for (const text of [(yield* visit((yield* atCheckout({ description: hostile })).path)).text, waiting.text]) {
          expect(text.replace(OWN_SCRIPT, "")).not.toMatch(/<script|<img/)
          expect(text.match(/<\/title>/g)).toHaveLength(1)
          expect(text).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;")
        }
      })
    )

    it.effect("returns to odd addresses without breaking its own answer", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* atCheckout({
          return_url: "https://shop.example/x-odd:%0d%0ax-evil:1/é?q=ü",
          client_reference: "né"
        })
        yield* submit(path, { action: "cancel" })
        yield* untilStatus(payment_id, "failed")
        const back = yield* visit(path)
        expect(back.status).toBe(303)
        expect(back.headers).not.toHaveProperty("x-evil")
        expect(back.headers["location"]).toMatch(
          /^https:\/\/shop\.example\/x-odd:%0d%0ax-evil:1\/%C3%A9\?q=%C3%BC&status=failed&reference=n%C3%A9$/
        )
      })
    )

    it.effect("speaks French to customers who prefer it", () =>
      Effect.gen(function* () {
        const { path } = yield* atCheckout()
        const page = yield* visit(path, { "accept-language": "fr-CI,fr;q=0.9,en;q=0.8" })
        expect(page.headers["content-language"]).toBe("fr")
        expect(page.text).toContain('<html lang="fr" dir="ltr">')
        expect(page.text).toContain("Payer 1\u202f500,00\u00a0KES")
      })
    )

    it.effect("refuses what is no form, and what is too large for one", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* atCheckout()
        const json = yield* send(path, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" })
        const none = yield* send(path, { method: "POST" })
        const bytes = yield* send(path, { method: "POST", headers: form, body: Uint8Array.of(0x61, 0xff) })
        expect([json.status, none.status, bytes.status]).toEqual([400, 400, 400])
        const large = `action=pay&x=${"y".repeat(300_000)}`
        const declared = yield* send(path, { method: "POST", headers: form, body: large })
        const chunked = yield* send(path, { method: "POST", headers: form, body: large, chunked: true })
        expect([declared.status, chunked.status]).toEqual([413, 413])
        for (const { text } of [json, none, bytes, declared, chunked]) expect(text).toContain("Nothing was charged")
        expect((yield* submit(path, { action: "dance" })).status).toBe(303)
        expect((yield* visit(path)).text).toContain(payButton)
        expect((yield* recordOf(payment_id))["status"]).toBe("pending")
      })
    )

    it.effect("sends a customer who pays too late to where the payment has gone", () =>
      Effect.gen(function* () {
        const { path, payment_id } = yield* atCheckout({
          ...byCard("4000000000003220"),
          return_url: "https://a.example/"
        })
        expect((yield* act(payment_id, { action: "cancel" })).status).toBe(200)
        expect((yield* submit(path, { action: "pay" })).status).toBe(303)
        expect((yield* visit(path)).headers["location"]).toMatch(/^https:\/\/a\.example\/\?status=failed&/)
        expect((yield* recordOf(payment_id))["status"]).toBe("canceled")
      })
    )
  }
)
