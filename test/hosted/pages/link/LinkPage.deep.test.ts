import { MemoryDatabase } from "../../../../src/platform/database/MemoryDatabase.ts"
import { rateLockTables } from "../../../../src/money/rates/RateLockMemory.ts"
import { createHash } from "node:crypto"
import { expect } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { SqlClient } from "@effect/sql"
import { linkFormsPerMinute, passwordsResent } from "../../../../src/domain/policies/PaymentPolicies.ts"
import { RateStore } from "../../../../src/money/rates/RateStore.ts"
import { cancelLink } from "../../links/LinkFixtures.ts"
import { eventually, initiate, recordOf } from "../../../payments/support/PaymentCalls.ts"
import { movableClock, timePasses } from "../../../payments/support/PaymentServices.ts"
import { leisurely, onDatabasePaymentServer, onPaymentServer } from "../../../payments/support/PaymentServer.ts"
import { byPhone as initiationByPhone } from "../../../payments/support/Requests.ts"
import { people } from "../../../support/TestCredentials.ts"
import { setThreshold } from "../../../payments/support/ActionCalls.ts"
import { newBrowser, submit, visit } from "../PageVisits.ts"
import {
  acmeLink,
  byBank,
  byCard,
  byPhone,
  type Fields,
  hiddenIn,
  leadsTo,
  payAt,
  paymentsOf,
  untilPage
} from "./LinkPageFixtures.ts"

/** Ids and tokens may have any four digits. */
const withoutIds = (page: string): string => page.replace(/[\w-]{16,}/g, "")

const complete = "Payment complete"
const failed = "Payment not completed"

const charged = (amount: string) => new RegExp(`<p class="amount[^"]*">${amount}\u00a0`)

const countLocks = Effect.gen(function* () {
  const sql = yield* Effect.serviceOption(SqlClient.SqlClient)
  if (Option.isNone(sql)) return (yield* Effect.serviceOptional(MemoryDatabase)).open(rateLockTables).rateLocks.size
  const rows = yield* sql.value<{ count: string }>`select count(*) from rate_locks`
  return Number(rows[0]?.count)
})

onDatabasePaymentServer(
  "Payment link page",
  () => ({ clock: movableClock(), variables: leisurely }),
  (it, { clock }) => {
    it.effect("shows who asks for how much and for what, and lets nothing else in", () =>
      Effect.gen(function* () {
        const { path } = yield* acmeLink({
          ...{ amount: 1234567.5, currency: "KES", amount_type: "fixed" },
          ...{ description: "Two <seats>", email: "ada@example.com" }
        })
        const page = yield* visit(path)
        expect(page.status).toBe(200)
        for (const shown of ["Acme Pay", "1,234,567.50\u00a0KES", "Two &lt;seats&gt;", 'value="ada@example.com"']) {
          expect(page.text).toContain(shown)
        }
        expect(page.text).toMatch(/href="\?method=mobile_money" aria-current="true"/)
        expect(page.text).toContain('<option value="mpesa" >M-Pesa</option>')
        expect(page.text).not.toMatch(/<script|http-equiv="refresh"|href="http|src=| on\w+=/)
        expect(page.headers["content-security-policy"]).toMatch(
          /^default-src 'none'; style-src 'sha256-.*form-action 'self'/
        )
        expect(page.headers["cache-control"]).toBe("no-store")
        const card = yield* visit(`${path}?method=card`)
        expect(card.text).toContain('name="number"')
        expect(card.text).not.toContain('name="network"')
        expect((yield* visit(`${path}?method=nonsense`)).text).toContain('name="network"')
      })
    )

    it.effect("asks for a card's number where the route takes it, also of a payer who leaves it out", () =>
      Effect.gen(function* () {
        const { number: _number, expiry: _expiry, cvv: _cvv, ...omitted } = byCard()
        for (const amount of [{ amount_type: "fixed", amount: 50 }, { amount_type: "open" }] as const) {
          const { link, path, payments } = yield* acmeLink({ currency: "KES", ...amount })
          const chosen = amount.amount_type === "open" ? { amount: "50" } : {}
          const asked = yield* payAt(link, { ...omitted, ...chosen })
          expect(asked.status).toBe(400)
          expect(asked.text).toMatch(/name="number"[^>]*aria-invalid/)
          expect(yield* payments).toEqual([])
          const filled = yield* submit(path, { ...hiddenIn(asked), ...byCard(), ...chosen })
          yield* untilPage(leadsTo(filled), complete)
        }
      })
    )

    it.effect("offers only what can be routed in its country and currency", () =>
      Effect.gen(function* () {
        const british = yield* acmeLink({ amount: 10, currency: "GBP", country: "GB", amount_type: "fixed" })
        const page = yield* visit(british.path)
        expect(page.text).toContain("?method=card")
        expect(page.text).not.toContain("mobile_money")
        const dollars = yield* acmeLink({ amount: 10, currency: "USD", country: "KE", amount_type: "fixed" })
        const kenyan = yield* visit(dollars.path)
        expect(kenyan.text).toContain("?method=card")
        expect(kenyan.text, "its networks move shillings").not.toContain("mobile_money")
        const nowhere = yield* acmeLink({ amount: 10, currency: "EUR", country: "FR", amount_type: "fixed" })
        const none = yield* visit(nowhere.path)
        expect(none.status).toBe(503)
        expect(none.text).toContain("Nothing was charged")
      })
    )

    it.effect("takes mobile money, once, and the link is paid with the payment's completion", () =>
      Effect.gen(function* () {
        const { acme, link, look, path, payments } = yield* acmeLink()
        const page = yield* visit(path)
        const form = { ...hiddenIn(page), ...byPhone() }
        const status = leadsTo(yield* submit(path, form))
        expect(leadsTo(yield* submit(path, form)), "sent again").toBe(status)
        const paid = yield* eventually(look, (found) => found.status === "paid")
        const [record, ...others] = yield* payments
        expect(others).toEqual([])
        expect(record).toMatchObject({
          ...{ status: "completed", amount: 1500, currency: "KES", description: "Invoice 1042" },
          ...{ payment_method: "mobile_money", user_id: acme.userId("org-admin"), bank_account: {} },
          payer_details: { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" }
        })
        expect((yield* visit(status)).text).toContain(complete)
        expect((yield* visit(path)).headers["location"], "its payer sees the receipt").toBe(
          status.slice("/pay/".length)
        )
        const other = newBrowser()
        for (const answer of [yield* other.visit(path), yield* other.submit(path, { ...form, submission: "" })]) {
          expect(answer.status).toBe(200)
          expect(answer.text).toContain("Already paid")
        }
        expect((yield* cancelLink(acme.key, acme.org_id, link.link_id)).status).toBe(409)
        expect(yield* payments).toHaveLength(1)
        expect((yield* look).paid_at).toBe(paid.paid_at)
        expect(paid.paid_at).not.toBeNull()
      })
    )

    it.effect("leads a payer whose answer was lost to the receipt, also where the payment is complete by then", () =>
      Effect.gen(function* () {
        const { link, look, path, payments } = yield* acmeLink()
        const form = { ...hiddenIn(yield* visit(path)), ...byPhone() }
        const status = leadsTo(yield* newBrowser().submit(path, form))
        yield* eventually(look, (found) => found.status === "paid")
        const payer = newBrowser()
        expect(leadsTo(yield* payer.submit(path, form)), "the same form, sent again").toBe(status)
        expect((yield* payer.visit(path)).headers["location"], "found again by the link").toBe(
          `${link.link_ref}/${form["submission"]}`
        )
        expect(yield* payments).toHaveLength(1)
      })
    )

    it.effect("gives a fixed link to one of those who submit at once, and shows all others that it is taken", () =>
      Effect.gen(function* () {
        const { look, path, payments } = yield* acmeLink()
        const answers = yield* Effect.forEach(
          Array.from({ length: 4 }, newBrowser),
          (browser) =>
            Effect.flatMap(browser.visit(path), (page) => {
              // Waits for a one-time password, so that it is open until all have answered.
              const form = { ...hiddenIn(page), ...byPhone("+254712340002") }
              return Effect.all([browser.submit(path, form), browser.submit(path, form)], { concurrency: "unbounded" })
            }),
          { concurrency: "unbounded" }
        )
        const led = answers.flat().filter(({ status }) => status === 303)
        expect(new Set(led.map(leadsTo)).size).toBe(1)
        expect(led, "one of them, whose form was sent twice").toHaveLength(2)
        for (const answer of answers.flat().filter(({ status }) => status !== 303)) {
          expect(answer.status).toBe(409)
          expect(answer.text).toContain("Payment in progress")
        }
        expect(yield* payments).toMatchObject([{ status: "pending" }])
        expect(yield* look).toMatchObject({ status: "active" })
      })
    )

    it.effect("is free again when its payment fails, is declined or canceled", () =>
      Effect.gen(function* () {
        const { look, path, payments, link } = yield* acmeLink()
        const declined = leadsTo(yield* payAt(link, byCard("4000000000000002")))
        const over = yield* visit(declined)
        expect(over.text).toContain(failed)
        expect(over.text).toContain(`href="../${link.link_ref}?again=${declined.split("/").at(-1)}"`)
        expect((yield* look).status).toBe("active")

        const later = leadsTo(yield* payAt(link, byPhone("+254712340004")))
        expect((yield* visit(path)).headers["location"], "led to the one under way").toBe(later.slice("/pay/".length))
        yield* untilPage(later, failed)

        const asking = leadsTo(yield* payAt(link, byPhone("+254712340002")))
        expect(leadsTo(yield* submit(path, byPhone())), "taken").toBe(asking)
        expect((yield* submit(asking, { action: "cancel" })).headers["location"]).toBe(asking.split("/").at(-1))
        const canceled = yield* visit(asking)
        expect(canceled.text).toContain("Payment cancelled")
        expect(canceled.text).toContain(`href="../${link.link_ref}?again=${asking.split("/").at(-1)}"`)
        expect(canceled.text).not.toContain(failed)

        const bank = leadsTo(yield* payAt(link, byBank()))
        yield* untilPage(bank, complete)
        expect((yield* look).status).toBe("paid")
        const statuses = (yield* payments).map(({ status }) => status)
        expect([...statuses].sort()).toEqual(["canceled", "completed", "failed", "failed"])
      })
    )

    it.effect("lets only the browser in which it was begun go on with a payment, or cancel it", () =>
      Effect.gen(function* () {
        const { path, payments } = yield* acmeLink()
        const [first, second] = [newBrowser(), newBrowser()]
        const form = { ...hiddenIn(yield* first.visit(path)), ...byPhone("+254712340002") }
        const begun = yield* first.submit(path, form)
        const cookie = String(begun.headers["set-cookie"])
        expect(cookie).toMatch(
          new RegExp(`^corridor_payer_\\w{8}=[0-9a-f]{64}; Path=${path}; Max-Age=\\d+; SameSite=Lax; HttpOnly$`)
        )
        const status = leadsTo(begun)
        const token = form["token"]!
        const [{ payment_id } = { payment_id: "" }] = yield* payments
        const others = [
          yield* second.visit(path),
          yield* second.submit(path, byPhone()),
          yield* second.visit(status),
          yield* second.submit(status, { action: "cancel" }),
          yield* second.submit(status, { action: "otp", otp: "000000" }),
          yield* second.submit(status, { action: "resend" }),
          yield* second.visit(status, { cookie: cookie.replace(/=\w{64}.*/, `=${"0".repeat(64)}`) })
        ]
        expect(others.map((answer) => answer.status)).toEqual([200, 409, 200, 403, 403, 403, 200])
        for (const { headers, text } of others) {
          expect(headers["location"]).toBeUndefined()
          expect(headers["set-cookie"]).toBeUndefined()
          expect(text).toContain("Payment in progress")
          expect(text, "until its end").toMatch(/the link can be used again from \d+ \w+ \d{4}, \d\d:\d\d\u00a0UTC/)
          for (const secret of [
            "Wanjiru",
            "5678",
            "0002",
            String(payment_id).slice(0, 23),
            'name="otp"',
            token,
            "<form"
          ]) {
            expect(text).not.toContain(secret)
          }
        }
        const replayed = yield* second.submit(path, { ...byPhone(), submission: status.split("/").at(-1)! })
        expect(replayed.headers["set-cookie"], "the address of its page is no proof").toBeUndefined()
        expect(yield* payments).toMatchObject([{ status: "pending" }])

        const { headers } = yield* first.visit(path)
        expect(headers["location"], "the payer goes on").toBe(status.slice("/pay/".length))
        expect((yield* first.visit(status)).text).toContain('name="otp"')
        expect((yield* first.submit(status, { action: "cancel" })).status).toBe(303)
        expect((yield* second.visit(path)).text, "free again").toContain('name="network"')
        expect(yield* payments).toMatchObject([{ status: "canceled" }])
      })
    )

    it.effect("is free for the next payer an hour after one left the page", () =>
      Effect.gen(function* () {
        const { path, payments, look } = yield* acmeLink()
        const [first, second] = [newBrowser(), newBrowser()]
        const form = { ...hiddenIn(yield* first.visit(path)), ...byCard("4000000000003220") }
        const left = leadsTo(yield* first.submit(path, form))
        expect((yield* second.visit(path)).text).toContain("Payment in progress")
        yield* timePasses(clock, "61 minutes")
        const free = yield* eventually(second.visit(path), ({ text }) => text.includes('name="network"'))
        expect(yield* payments).toMatchObject([{ status: "failed", failure: { code: "EXPIRED" } }])
        expect((yield* first.visit(left)).text).toContain(failed)
        yield* untilPage(leadsTo(yield* second.submit(path, { ...hiddenIn(free), ...byPhone() })), complete)
        expect((yield* look).status).toBe("paid")
      })
    )

    it.effect("says that its payer cancelled, at the hosted checkout too", () =>
      Effect.gen(function* () {
        const { link } = yield* acmeLink()
        const status = leadsTo(yield* payAt(link, byCard("4000000000003220")))
        const [, target = ""] = /content="0;url=\.\.\/\.\.(\/checkout\/[^"]+)"/.exec((yield* visit(status)).text) ?? []
        yield* submit(target, { action: "cancel" })
        const over = yield* untilPage(status, "Payment cancelled")
        expect(over.text).toContain("You can try again")
      })
    )

    it.effect("asks for a one-time password, and says when it is wrong", () =>
      Effect.gen(function* () {
        const { link } = yield* acmeLink()
        const status = leadsTo(yield* payAt(link, byPhone("+254712340002")))
        const asks = yield* visit(status)
        expect(asks.text).toContain('name="otp"')
        expect(asks.text).not.toContain('http-equiv="refresh"')
        const wrong = yield* submit(status, { action: "otp", otp: "000000" })
        expect(wrong.status).toBe(400)
        expect(wrong.text).toContain('id="otp-problem"')
        expect(wrong.text).not.toContain("000000")
        expect((yield* submit(status, { action: "resend" })).status).toBe(303)
        // Another hour may begin.
        const again = submit(status, { action: "resend" }).pipe(
          Effect.repeat({ until: (answer) => answer.status !== 303, times: 3 * passwordsResent })
        )
        const tooOften = yield* again
        expect(tooOften.status).toBe(429)
        expect(tooOften.text).toContain("Too many codes were sent")
        expect(tooOften.text).toContain('name="otp"')
        expect((yield* submit(status, { action: "otp", otp: " 123456 " })).status).toBe(303)
        yield* untilPage(status, complete)
        expect((yield* submit(status, { action: "otp", otp: "123456" })).status, "too late").toBe(303)
      })
    )

    it.effect("takes the digits of an Arabic keyboard, and repeats no card in them", () =>
      Effect.gen(function* () {
        const arabic = (text: string) => text.replaceAll(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)))
        const { link, path } = yield* acmeLink({ currency: "KES", amount_type: "open" })
        const own = newBrowser()
        const page = yield* own.visit(`${path}?method=card&lang=ar`)
        const number = arabic("4242424242424241")
        const card = { ...hiddenIn(page), ...byCard(number), amount: arabic("1500.50"), name: `Zuri ${number}` }
        const refused = yield* own.submit(`${path}?lang=ar`, card)
        expect(refused.status).toBe(400)
        expect(refused.text).toContain('id="number-problem"')
        for (const text of [number, "4242424242424241"]) expect(refused.text).not.toContain(text)

        const phone = { ...hiddenIn(page), ...byPhone(arabic("0712340002")), amount: arabic("1500.50") }
        const status = leadsTo(yield* own.submit(`${path}?lang=ar`, phone))
        const wrong = yield* own.submit(`${status}?lang=ar`, { action: "otp", otp: arabic("000000") })
        expect(wrong.status).toBe(400)
        expect((yield* own.submit(`${status}?lang=ar`, { action: "otp", otp: arabic("123456") })).status).toBe(303)
        yield* untilPage(status, complete)
        expect(yield* paymentsOf((yield* people).acme, link)).toMatchObject([{ status: "completed", amount: 1500.5 }])
      })
    )

    it.effect("leads to the hosted checkout and back", () =>
      Effect.gen(function* () {
        const { link } = yield* acmeLink()
        const status = leadsTo(yield* payAt(link, byCard("4000000000003220")))
        const onwards = yield* visit(status)
        const [, target = ""] = /content="0;url=\.\.\/\.\.(\/checkout\/[^"]+)"/.exec(onwards.text) ?? []
        expect((yield* visit(target)).text).toContain("Confirm your payment")
        yield* submit(target, { action: "pay" })
        yield* untilPage(status, complete)
        const back = yield* visit(target)
        expect(back.headers["location"]).toMatch(
          new RegExp(`^http://127\\.0\\.0\\.1:3000${status}\\?status=completed&reference=`)
        )

        const other = yield* acmeLink()
        const byLink = leadsTo(yield* payAt(other.link, byPhone("+254712340005")))
        expect((yield* visit(byLink)).text).toMatch(/content="0;url=\.\.\/\.\.\/checkout\//)
      })
    )

    it.effect("charges exactly the price that it shows in the payer's currency", () =>
      Effect.gen(function* () {
        const { link, look, path, payments } = yield* acmeLink({
          ...{ amount: 10, currency: "USD", payer_currency: "KES", amount_type: "fixed" }
        })
        const page = yield* visit(path)
        // 10 USD / 0.00774, rounded up.
        expect(page.text).toMatch(charged("1,291\\.99"))
        expect(page.text).toContain("10.00\u00a0USD")
        expect(page.text).toMatch(/1 USD = 129\.199\u00a0KES, for (14|15) minutes/)
        const form = { ...hiddenIn(page), ...byPhone() }
        expect(form["rate"]).toBeDefined()

        yield* timePasses(clock, "16 minutes")
        const repriced = yield* submit(path, form)
        expect(repriced.status).toBe(409)
        expect(repriced.text).toContain("The exchange rate has changed")
        expect(repriced.text).toContain('value="Wanjiru Kamau"')
        expect(hiddenIn(repriced)["rate"]).not.toBe(form["rate"])
        for (const rate of ["", "nonsense", "01890000-0000-7000-8000-000000000000"]) {
          expect((yield* submit(path, { ...form, rate })).status).toBe(409)
        }
        expect(yield* payments).toEqual([])

        leadsTo(yield* submit(path, { ...hiddenIn(repriced), ...byPhone() }))
        yield* eventually(look, (found) => found.status === "paid")
        expect(yield* payments).toMatchObject([
          { amount: 1291.99, currency: "KES", target_amount: 10, target_currency: "USD" }
        ])
        expect(link["amount"]).toBe(10)
      })
    )

    it.effect("writes nothing until it is paid, and refuses a price that has moved since", () =>
      Effect.gen(function* () {
        const rates = yield* RateStore
        const { look, path, payments } = yield* acmeLink({
          ...{ amount: 10, currency: "USD", payer_currency: "KES", amount_type: "fixed" }
        })
        const before = yield* countLocks
        const pages = yield* Effect.replicateEffect(visit(path), 20, { concurrency: 5 })
        expect(pages.map(({ status }) => status)).toEqual(Array(20).fill(200))
        const form = { ...hiddenIn(pages[0]!), ...byPhone() }
        expect(pages[0]!.text).toMatch(charged("1,291\\.99"))
        const set = (rate: string) => rates.set([{ from_currency: "KES", to_currency: "USD", rate }])
        yield* set("0.005")
        yield* Effect.gen(function* () {
          const moved = yield* submit(path, form)
          expect(moved.status).toBe(409)
          expect(moved.text).toContain("the amount is now 2,000.00\u00a0KES")
          expect(moved.text).toMatch(charged("2,000\\.00"))
          expect((yield* submit(path, { ...form, rate: hiddenIn(moved)["rate"]!.replace(/.$/, "g") })).status).toBe(409)
          const elsewhere = yield* acmeLink({
            ...{ amount: 10, currency: "USD", payer_currency: "KES", amount_type: "fixed" }
          })
          const theirs = hiddenIn(yield* visit(elsewhere.path))
          expect((yield* submit(path, { ...form, rate: theirs["rate"]! })).status, "of another link").toBe(409)
          expect(yield* countLocks, "nothing was locked so far").toBe(before)
          leadsTo(yield* submit(path, { ...hiddenIn(moved), ...byPhone() }))
        }).pipe(Effect.ensuring(Effect.orDie(set("0.00774"))))
        expect(yield* countLocks).toBe(before + 1)
        yield* eventually(look, (found) => found.status === "paid")
        expect(yield* payments).toMatchObject([{ amount: 2000, currency: "KES", target_amount: 10 }])
      })
    )

    it.effect("takes the amount that a payer chooses on an open link, from as many as come", () =>
      Effect.gen(function* () {
        const { acme, link, look, path, payments } = yield* acmeLink({
          ...{ currency: "USD", payer_currency: "KES", amount: 2, amount_type: "open" }
        })
        const page = yield* visit(path)
        expect(page.text).not.toContain('class="amount')
        expect(page.text).toMatch(/name="amount" required value="258\.40"/)
        for (const amount of ["", "0", "1.505", "0.01"]) {
          const refused = yield* submit(path, { ...hiddenIn(page), ...byPhone(), amount })
          expect(refused.status, amount).toBe(400)
          expect(refused.text).toContain('id="amount-problem"')
        }
        const form = { ...hiddenIn(page), ...byPhone(), amount: "1,500" }
        const [one, same] = yield* Effect.all([submit(path, form), submit(path, form)], { concurrency: "unbounded" })
        expect(leadsTo(one)).toBe(leadsTo(same))
        const first = yield* eventually(look, (found) => found.status === "paid")
        const again = leadsTo(yield* payAt(link, { ...byPhone(), amount: "20" }))
        expect(again).not.toBe(leadsTo(one))
        yield* untilPage(again, complete)
        const made = yield* payments
        expect(made.map(({ amount, currency, target_amount }) => [amount, currency, target_amount]).sort()).toEqual([
          [1500, "KES", 11.61],
          [20, "KES", 0.15]
        ])
        expect((yield* look).paid_at, "once").toBe(first.paid_at)
        expect((yield* cancelLink(acme.key, acme.org_id, link.link_id)).status).toBe(204)
        expect(yield* look).toMatchObject({ status: "canceled", paid_at: first.paid_at })
        expect((yield* visit(path)).status).toBe(410)
      })
    )

    it.effect("names what is wrong, keeps what was typed, and never repeats a card", () =>
      Effect.gen(function* () {
        const { path, payments } = yield* acmeLink()
        const page = yield* visit(`${path}?method=card`)
        const wrong = { number: "4242424242424241", expiry: "12/19", cvv: "98765", email: "zuri", phone: "12" }
        const refused = yield* submit(path, { ...hiddenIn(page), ...byCard(), ...wrong, name: 'Zuri "Q"' })
        expect(refused.status).toBe(400)
        for (const field of Object.keys(wrong)) expect(refused.text).toContain(`id="${field}-problem"`)
        expect(refused.text).not.toContain('id="name-problem"')
        expect(refused.text).toContain('value="Zuri &quot;Q&quot;"')
        for (const typed of [wrong.number, wrong.expiry, wrong.cvv]) expect(refused.text).not.toContain(typed)
        const inTheName = yield* submit(path, { ...hiddenIn(page), ...byCard(), name: "4242 4242 4242 4242" })
        expect(inTheName.status).toBe(400)
        expect(inTheName.text).toContain('id="name-problem"')
        expect(inTheName.text).not.toContain("4242 4242")
        const empty = yield* submit(path, { method: "bank_transfer" })
        for (const field of ["bank_name", "account_number", "name", "email", "phone"]) {
          expect(empty.text).toContain(`id="${field}-problem"`)
        }
        const foreign = yield* submit(path, { ...byPhone("+233241234567"), network: "mtn" })
        for (const field of ["network", "phone"]) expect(foreign.text).toContain(`id="${field}-problem"`)
        expect((yield* submit(path, {})).status).toBe(400)
        expect(yield* payments).toEqual([])
      })
    )

    it.effect("keeps what was typed for another try after a failure, in the payer's browser only", () =>
      Effect.gen(function* () {
        const { link, path } = yield* acmeLink({ currency: "KES", amount_type: "open" })
        const payer = newBrowser()
        const form = { ...hiddenIn(yield* payer.visit(path)), ...byPhone("+254712340001"), amount: "1,250.5" }
        const declined = leadsTo(yield* payer.submit(path, form))
        const again = `${path}?again=${declined.split("/").at(-1)}`
        const typed = ["Wanjiru Kamau", "wanjiru@example.com", "+254712340001", "1250.50"]
        const page = yield* payer.visit(again)
        for (const text of typed) expect(page.text).toContain(`value="${text}"`)
        expect(page.text).toContain('<option value="mpesa" selected>')
        // Another method of payment keeps it too.
        const byTransfer = /href="(\?method=bank_transfer[^"]*)"/.exec(page.text)![1]!.replaceAll("&amp;", "&")
        const other = yield* payer.visit(path + byTransfer)
        for (const text of typed) expect(other.text).toContain(`value="${text}"`)
        const refused = yield* payer.submit(path + byTransfer, { ...hiddenIn(other), name: "Wanjiru" })
        expect(refused.text).toContain(`href="${byTransfer.replaceAll("&", "&amp;").replace("bank_transfer", "card")}"`)
        const card = leadsTo(
          yield* payer.submit(path, { ...hiddenIn(page), ...byCard("4000000000000002"), amount: "7" })
        )
        const second = yield* payer.visit(`${path}?again=${card.split("/").at(-1)}`)
        expect(second.text).toMatch(/href="\?method=card&amp;again=[\w-]+" aria-current="true"/)
        expect(second.text).toContain('value="Wanjiru Kamau"')
        expect(second.text).not.toMatch(/4000 ?0000|0000 ?0002|12\/30|value="123"/)
        expect(withoutIds(second.text)).not.toMatch(/4000|0002/)
        for (const address of [again, `${path}?again=nothing`, `${path}?again=${"0".repeat(23)}`]) {
          const foreign = yield* newBrowser().visit(address)
          expect(foreign.status).toBe(200)
          for (const text of typed) expect(foreign.text).not.toContain(text)
        }
        expect(link["amount_type"]).toBe("open")
      })
    )

    it.effect("asks for no e-mail address with mobile money, and for one with a card", () =>
      Effect.gen(function* () {
        const { path, payments } = yield* acmeLink()
        const page = yield* visit(path)
        expect(page.text).toContain("Optional, for the receipt")
        expect(page.text).not.toMatch(/name="email" required/)
        const { email: _email, ...silent } = byPhone()
        const wrong = yield* submit(path, { ...hiddenIn(page), ...silent, email: "zuri" })
        expect(wrong.text).toContain('id="email-problem"')
        const status = leadsTo(yield* submit(path, { ...hiddenIn(wrong), ...silent, email: " " }))
        const done = yield* untilPage(status, complete)
        expect(done.text).not.toContain("E-mail me this receipt")
        expect(yield* payments).toMatchObject([
          { payer_details: { name: "Wanjiru Kamau", phone: "+254712345678" }, status: "completed" }
        ])
        const { email: _mail, ...card } = byCard()
        const other = yield* acmeLink()
        const refused = yield* submit(other.path, { ...hiddenIn(yield* visit(`${other.path}?method=card`)), ...card })
        expect(refused.text).toContain('id="email-problem"')
      })
    )

    it.effect("takes no card for a name, and does not repeat it", () =>
      Effect.gen(function* () {
        const { link, payments } = yield* acmeLink()
        for (const name of ["4539578763621486", "Wanjiru 4539 5787 6362 1486"]) {
          const answer = yield* payAt(link, { ...byPhone(), name })
          expect(answer.status).toBe(400)
          expect(answer.text).not.toMatch(/4539 ?5787|6362 ?1486/)
          expect(withoutIds(answer.text)).not.toContain("1486")
        }
        expect(yield* payments).toEqual([])
      })
    )

    it.effect("keeps nothing of a card but its ends", () =>
      Effect.gen(function* () {
        const { link, payments } = yield* acmeLink()
        yield* untilPage(leadsTo(yield* payAt(link, byCard())), complete)
        const text = JSON.stringify(yield* payments)
        expect(text).toContain("4242")
        expect(text).not.toContain("424242424242")
      })
    )

    it.effect("speaks French", () =>
      Effect.gen(function* () {
        const french = { "accept-language": "fr-FR,fr;q=0.9" }
        const { path } = yield* acmeLink()
        const page = yield* visit(path, french)
        expect(page.headers["content-language"]).toBe("fr")
        for (const shown of ["Comment souhaitez-vous payer ?", "1\u202f500,00\u00a0KES", "Virement", "Votre nom"]) {
          expect(page.text).toContain(shown)
        }
        expect(page.text).not.toMatch(/Your name|Pay |Bank transfer/)
        const nothing = yield* visit("/pay/nothing", french)
        expect([nothing.status, nothing.text.includes("Page introuvable")]).toEqual([404, true])
      })
    )

    it.effect("speaks Arabic, from right to left, and takes its digits", () =>
      Effect.gen(function* () {
        const arabic = { "accept-language": "ar-EG,ar;q=0.9,en;q=0.5" }
        const { path, payments } = yield* acmeLink({ currency: "KES", amount_type: "open" })
        const page = yield* visit(path, arabic)
        expect(page.headers["content-language"]).toBe("ar")
        expect(page.text).toContain('<html lang="ar" dir="rtl">')
        expect(page.text).not.toMatch(/Your name|Pay |Bank transfer/)
        const typed = { ...byPhone("٠٧١٢٣٤٥٦٧٨"), amount: "١٥٠٠.٥" }
        const status = leadsTo(yield* submit(path, { ...hiddenIn(page), ...typed }, arabic))
        expect((yield* visit(status, arabic)).text).toContain("\u20661,500.50\u00a0KES\u2069")
        expect(yield* payments).toMatchObject([{ amount: 1500.5, payer_details: { phone: "+254712345678" } }])
      })
    )

    it.effect("is kind about links that are over, unknown, or withdrawn", () =>
      Effect.gen(function* () {
        const { acme, link, look, path } = yield* acmeLink()
        yield* cancelLink(acme.key, acme.org_id, link.link_id)
        expect((yield* look).status).toBe("canceled")
        for (const answer of [yield* visit(path), yield* submit(path, byPhone())]) {
          expect(answer.status).toBe(410)
          expect(answer.text).toContain("No longer available")
          expect(answer.text).toContain("Acme Pay")
        }
        const soon = new Date(clock.unsafeCurrentTimeMillis() + 60_000).toISOString()
        const ending = yield* acmeLink({ amount: 1, currency: "KES", amount_type: "fixed", expires_at: soon })
        const form = { ...hiddenIn(yield* visit(ending.path)), ...byPhone() }
        clock.move(Duration.seconds(61))
        expect((yield* ending.look).status).toBe("expired")
        for (const answer of [yield* visit(ending.path), yield* submit(ending.path, form)]) {
          expect(answer.status).toBe(410)
          expect(answer.text).toContain("This link has expired")
        }
        expect(yield* ending.payments).toEqual([])
        expect((yield* cancelLink(acme.key, acme.org_id, ending.link.link_id)).status, "expired").toBe(204)
        const unknown = [`/pay/${"0".repeat(23)}`, `${path}x`, `${path}/${"0".repeat(23)}`, `${path}/x`, "/pay/%00"]
        for (const address of unknown) {
          for (const answer of [yield* visit(address), yield* submit(address, byPhone())]) {
            expect(answer.status, address).toBe(404)
            expect(answer.text).toContain("Page not found")
          }
        }
        const json = yield* submit(path, {})
        expect(json.status).toBe(410)
      })
    )

    it.effect("is paid though it was withdrawn, when a payment was under way", () =>
      Effect.gen(function* () {
        const { acme, link, look } = yield* acmeLink()
        const status = leadsTo(yield* payAt(link, byPhone("+254712340002")))
        expect((yield* cancelLink(acme.key, acme.org_id, link.link_id)).status).toBe(204)
        expect((yield* look).status).toBe("canceled")
        expect((yield* cancelLink(acme.key, acme.org_id, link.link_id)).status, "twice").toBe(204)
        yield* submit(status, { action: "otp", otp: "123456" })
        const paid = yield* eventually(look, (found) => found.status === "paid")
        expect(paid.paid_at).not.toBeNull()
        expect((yield* cancelLink(acme.key, acme.org_id, link.link_id)).status, "once it is paid").toBe(409)
        expect(yield* look).toEqual(paid)
      })
    )

    it.effect("waits where a reviewer decides, and shows no other payment than its own", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const { link, payments } = yield* acmeLink()
        yield* setThreshold(acme.org_id, "1000")
        const held = yield* Effect.ensuring(payAt(link, byCard()), setThreshold(acme.org_id, null))
        const page = yield* visit(leadsTo(held))
        expect(page.text).toContain("Your payment is being processed")
        expect(page.text).toContain('<noscript><meta http-equiv="refresh" content="2;url=')
        const [, version, script] = /data-version="([^"]*)">([^<]*)<\/script>/.exec(page.text)!
        expect(page.headers).toMatchObject({
          "x-page-version": version,
          "content-security-policy": expect.stringContaining(
            `script-src 'sha256-${createHash("sha256").update(script!).digest("base64")}'; connect-src 'self';`
          )
        })
        expect((yield* visit(leadsTo(held))).headers["x-page-version"]).toBe(version)
        expect(yield* payments).toMatchObject([{ status: "initiated" }])
        const { payment_id } = yield* initiate(initiationByPhone())
        expect((yield* visit(`/pay/${link.link_ref}/${payment_id}`)).status).toBe(404)
        expect((yield* recordOf(payment_id))["payment_id"]).toBe(payment_id)
      })
    )
  }
)

onPaymentServer(
  "A payment link",
  "memory",
  { variables: { RATE_LIMIT_PER_MINUTE: "6000", TRUST_PROXY: "true" } },
  (it) => {
    const from = (address: string) => ({ "x-forwarded-for": address })

    it.effect("takes so many filled-in forms a minute from one address; empty forms of others do not count", () =>
      Effect.gen(function* () {
        const { link, path, payments } = yield* acmeLink({
          ...{ amount: 10, currency: "USD", payer_currency: "KES", amount_type: "fixed" }
        })
        const stranger = from("203.0.113.7")
        const send = (fields: Fields) =>
          Effect.map(
            Effect.replicateEffect(submit(path, fields, stranger), 3 * linkFormsPerMinute, { concurrency: 20 }),
            (answers) => answers.map(({ status }) => status)
          )
        expect(new Set(yield* send({})), "empty").toEqual(new Set([400]))
        expect(new Set(yield* send({ ...byCard(), number: "4242" })), "half empty").toEqual(new Set([400]))
        // Complete, but of a price that was never shown, so that none of them is a payment.
        const filled = yield* send(byCard())
        expect(filled.filter((status) => status === 409).length).toBeGreaterThanOrEqual(linkFormsPerMinute)
        expect(filled).toContain(429)
        const refused = yield* submit(path, byCard(), stranger)
        if (refused.status === 429) expect(refused.text).toContain("Too many attempts.")
        expect(yield* payments).toEqual([])
        expect((yield* visit(path, stranger)).status).toBe(200)
        const other = yield* acmeLink()
        expect((yield* submit(other.path, {}, stranger)).status, "another link").toBe(400)
        leadsTo(yield* payAt(link, byPhone()))
      })
    )
  }
)
