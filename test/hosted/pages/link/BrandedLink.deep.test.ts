/** Branding of an organisation's links, and actions of payers on their pages besides paying. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { NotificationStore } from "../../../../src/platform/notifications/NotificationStore.ts"
import { eventually, untilStatus } from "../../../payments/support/PaymentCalls.ts"
import { leisurely, onPaymentServer } from "../../../payments/support/PaymentServer.ts"
import { people } from "../../../support/TestCredentials.ts"
import { bodyOf, send } from "../../../support/Send.ts"
import { askForLink, kenyan } from "../../links/LinkFixtures.ts"
import { atCheckout, pathOf, submit, visit } from "../PageVisits.ts"
import { acmeLink, byCard, byPhone, leadsTo, payAt, untilPage } from "./LinkPageFixtures.ts"

const point = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

const branded = {
  ...kenyan,
  client_reference: "order-1042",
  return_url: "https://shop.example/thanks?from=link",
  brand: { name: "Acme <Shop>", color: "#FFEE00", logo: `data:image/png;base64,${point}` }
}

const complete = "Payment complete"

const outbox = Effect.gen(function* () {
  const store = yield* NotificationStore
  return yield* store.list(Option.none(), { after: Option.none(), take: 50 })
})

for (const backend of ["memory", "PostgreSQL"] as const) {
  onPaymentServer("Payment links", backend, { variables: leisurely }, (it) => {
    it.effect("look like their brand, and stay under their policy", () =>
      Effect.gen(function* () {
        const { link, look, path } = yield* acmeLink(branded)
        expect(link).toMatchObject({ client_reference: "order-1042", return_url: branded.return_url })
        expect(link["brand"]).toEqual({ name: "Acme <Shop>", color: "#ffee00", logo_url: `${link.url}/logo` })
        expect(yield* look).toMatchObject({ brand: link["brand"] })
        const page = yield* visit(path)
        expect(page.text).toContain("<bdi>Acme &lt;Shop&gt;</bdi>")
        expect(page.text).toContain("<bdi>Paid to Acme Pay</bdi>")
        expect(page.text).toContain(`src="${link.link_ref}/logo"`)
        expect(page.text).toContain("--accent:#ffee00;--onaccent:#000000")
        expect(page.text).toContain("order-1042")
        expect(page.headers["content-security-policy"]).toMatch(
          /^default-src 'none'; style-src 'sha256-[^']+' 'sha256-[^']+'; img-src 'self' data:; form-action 'self'/
        )
        const logo = yield* visit(`${path}/logo`)
        expect([logo.status, logo.headers["content-type"]]).toEqual([200, "image/png"])
        expect(logo.headers["x-content-type-options"]).toBe("nosniff")
        expect(logo.headers["content-security-policy"]).toBe("default-src 'none'; sandbox")
        const plain = yield* acmeLink()
        expect(plain.link["brand"]).toEqual({ name: null, color: null, logo_url: null })
        expect((yield* visit(`${plain.path}/logo`)).status).toBe(404)
      })
    )

    it.effect("give their reference to the payment, and lead back with its outcome", () =>
      Effect.gen(function* () {
        const { link, payments } = yield* acmeLink(branded)
        const status = leadsTo(yield* payAt(link, byPhone()))
        const { text } = yield* untilPage(status, complete)
        const back = "https://shop.example/thanks?from=link&amp;status=completed&amp;reference=order-1042"
        expect(text).toContain(`href="${back}"`)
        expect(text, "the receipt stays").not.toContain("http-equiv")
        expect(yield* payments).toMatchObject([{ client_reference: "order-1042", status: "completed" }])
      })
    )

    it.effect("keep their brand at the checkout that they lead to, which no other payment can take on", () =>
      Effect.gen(function* () {
        const { link } = yield* acmeLink(branded)
        const status = leadsTo(yield* payAt(link, byCard("4000 0000 0000 3220")))
        const [, onwards = ""] =
          /href="\.\.\/\.\.(\/checkout\/[^"]+)"/.exec((yield* untilPage(status, "/checkout/")).text) ?? []
        const checkout = yield* visit(onwards.replaceAll("&amp;", "&"))
        expect(checkout.text).toContain("<bdi>Acme &lt;Shop&gt;</bdi>")
        expect(checkout.text).toContain("<bdi>Paid to Acme Pay</bdi>")
        expect(checkout.text).toContain(`src="../pay/${link.link_ref}/logo"`)
        expect(checkout.text).toContain("--accent:#ffee00;--onaccent:#000000")
        expect(checkout.headers["content-security-policy"]).toMatch(
          / 'sha256-[^']+' 'sha256-[^']+'; img-src 'self' data:;/
        )
        const other = yield* atCheckout({ metadata: { link_id: link.link_id } })
        const plain = yield* visit(other.path)
        expect(plain.text).toContain("<bdi>Acme Pay</bdi>")
        expect(plain.text).not.toContain(link.link_ref)
        expect(plain.headers["content-security-policy"]).toContain("img-src data:;")
      })
    )

    it.effect("let a payer try again, or go back, where the payment failed", () =>
      Effect.gen(function* () {
        const { link } = yield* acmeLink(branded)
        const status = leadsTo(yield* payAt(link, byPhone("+254712340004")))
        const { text } = yield* untilPage(status, "Payment not completed")
        expect(text).toContain("status=failed&amp;reference=order-1042")
        expect(text).toContain("Try again")
        expect(text).not.toContain("http-equiv")
      })
    )
  })
}

onPaymentServer("Pages for payers", "memory", { variables: leisurely }, (it) => {
  it.effect("refuse a brand that is none, and a way back that is none", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const wrong: ReadonlyArray<readonly [object, RegExp]> = [
        [{ brand: { color: "red" } }, /^brand\.color: must be a colour/],
        [{ brand: { logo: "https://shop.example/logo.png" } }, /^brand\.logo: must be a data: URL/],
        [{ brand: { name: "x".repeat(81) } }, /^brand\.name: /],
        [{ return_url: "javascript:alert(1)" }, /^return_url: /],
        [{ return_url: "http://shop.example" }, /^return_url: must start with https/],
        [{ client_reference: "" }, /^client_reference: /]
      ]
      for (const [about, expected] of wrong) {
        const answer = yield* askForLink(acme.key, acme.org_id, { ...kenyan, ...about })
        expect(answer.status, answer.text).toBe(400)
        expect((bodyOf(answer) as { readonly message: string }).message).toMatch(expected)
      }
    })
  )

  it.effect("switch languages, and remember it", () =>
    Effect.gen(function* () {
      const { path } = yield* acmeLink()
      const english = yield* visit(`${path}?method=card`)
      expect(english.text).toContain('<a href="?method=card&amp;lang=fr" lang="fr" dir="ltr" hreflang="fr"')
      expect(english.text).toContain('lang=ar" lang="ar" dir="rtl"')
      expect(english.headers["set-cookie"]).toBeUndefined()
      const french = yield* visit(`${path}?method=card&lang=fr`)
      expect(french.text).toContain('<html lang="fr" dir="ltr">')
      expect(french.text).toContain('name="number"')
      const [cookie = ""] = [french.headers["set-cookie"]].flat()
      expect(cookie).toBe("corridor_language=fr; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly")
      const later = yield* visit(path, { cookie: "other=1; corridor_language=fr", "accept-language": "en" })
      expect(later.headers["content-language"]).toBe("fr")
      for (const nonsense of ["de", "<script>", ""]) {
        const page = yield* visit(`${path}?lang=${encodeURIComponent(nonsense)}`)
        expect([page.headers["content-language"], page.headers["set-cookie"]]).toEqual(["en", undefined])
        expect(page.text).not.toContain("<script")
      }
      const checkout = yield* atCheckout()
      const page = yield* visit(`${checkout.path}&lang=fr`)
      expect(page.text).toContain("Confirmez votre paiement")
      expect(page.text).toContain('lang=en" lang="en"')
    })
  )

  it.effect("keep their own order beside a name that is written from right to left, or has marks that turn text", () =>
    Effect.gen(function* () {
      const titleAt = (name: string) =>
        Effect.gen(function* () {
          const { path } = yield* acmeLink({ ...branded, brand: { name } })
          const { text } = yield* visit(path)
          return /<title>([^<]*)</.exec(text)?.[1]
        })
      const pay = "Pay 1,500.00\u00a0KES · "
      expect(yield* titleAt("شركة النور (كينيا)")).toBe(`${pay}\u2068شركة النور (كينيا)\u2069`)
      expect(yield* titleAt("Shop\u2069\u202e gnip")).toBe(`${pay}Shop gnip`)
      const { link } = yield* acmeLink({ ...branded, brand: { name: "Acme (Kenya)" } })
      const inArabic = yield* visit(`${leadsTo(yield* payAt(link, byPhone()))}?lang=ar`)
      expect(inArabic.text).toContain("\u2068Acme (Kenya)\u2069")
    })
  )

  it.effect("have a title and a preview, and answer HEAD as they answer GET", () =>
    Effect.gen(function* () {
      const { link, path } = yield* acmeLink(branded)
      const page = yield* visit(path)
      expect(page.text).toContain("<title>Pay 1,500.00\u00a0KES · Acme &lt;Shop&gt;</title>")
      for (const [name, content] of [
        ["og:title", "Pay 1,500.00\u00a0KES · Acme &lt;Shop&gt;"],
        ["og:site_name", "Acme &lt;Shop&gt;"],
        ["og:description", "Invoice 1042"],
        ["og:image", `${link.url}/logo`]
      ]) {
        expect(page.text).toContain(`<meta property="${name}" content="${content}" />`)
      }
      const checkout = yield* atCheckout()
      for (const one of [path, `${path}/logo`, checkout.path, "/pay/nothing"]) {
        const [get, head] = [yield* visit(one), yield* send(one, { method: "HEAD" })]
        expect([head.status, head.text], one).toEqual([get.status, ""])
        expect(head.headers["content-type"]).toBe(get.headers["content-type"])
      }
    })
  )

  it.effect("show the rate of another currency, and how long its price holds", () =>
    Effect.gen(function* () {
      const { path } = yield* acmeLink({ amount: 10, currency: "USD", payer_currency: "KES", amount_type: "fixed" })
      const { text } = yield* visit(path)
      expect(text).toContain("<dt>Acme Pay receives</dt>")
      expect(text).toMatch(/<dt>Exchange rate<\/dt>\s*<dd><bdi>1 USD = 129\.199\u00a0KES, for (14|15) minutes<\/bdi>/)
      expect((yield* visit(`${path}?lang=fr`)).text).toMatch(/1 USD = 129,199\u00a0KES, pendant (14|15) minutes/)
      const same = yield* acmeLink()
      expect((yield* visit(same.path)).text).not.toContain("Exchange rate")
    })
  )

  it.effect("end in a receipt, which is sent by e-mail on request", () =>
    Effect.gen(function* () {
      const { link } = yield* acmeLink({ ...branded, return_url: null })
      const status = leadsTo(yield* payAt(link, byPhone()))
      const { text } = yield* untilPage(status, complete)
      for (const shown of ["<dt>Date</dt>", "Mobile money •••• 5678", "order-1042", "E-mail me this receipt"]) {
        expect(text).toContain(shown)
      }
      const sent = yield* submit(status, { action: "receipt" })
      expect(sent.status).toBe(303)
      expect(sent.headers["location"]).toMatch(/^[0-9A-Za-z]{23}\?receipt=sent$/)
      expect((yield* visit(`${status}?receipt=sent`)).text).toContain("Receipt sent to w…@example.com")
      const mails = yield* eventually(outbox, (all) => all.length > 0)
      expect(mails).toMatchObject([
        { to: "wanjiru@example.com", kind: "receipt", subject: "Receipt: 1,500.00\u00a0KES to Acme <Shop>" }
      ])
      for (const line of [
        "Test mode",
        "You paid 1,500.00",
        "Paid to Acme Pay",
        "Reference: order-1042",
        `${status}?receipt=shown`
      ]) {
        expect(mails[0]!.text).toContain(line)
      }
      const inFrench = yield* submit(status, { action: "receipt" }, { "accept-language": "fr" })
      expect(inFrench.headers["location"]).toMatch(/\?receipt=sent$/)
      expect((yield* visit(`${status}?receipt=failed`)).text).toContain("could not be sent")
      const both = yield* eventually(outbox, (all) => all.length > 1)
      expect(both).toHaveLength(2)
      expect(both.map(({ text }) => text).join("\n")).toContain("Référence\u00a0: order-1042")
    })
  )

  it.effect("mail the address of the receipt itself, wherever the merchant has payers led to", () =>
    Effect.gen(function* () {
      const { path, payment_id } = yield* atCheckout({ return_url: "https://shop.example/thanks" })
      yield* submit(path, { action: "pay" })
      yield* untilStatus(payment_id, "completed")
      expect((yield* submit(path, { action: "receipt" })).headers["location"]).toMatch(/receipt=sent$/)
      const mails = yield* eventually(outbox, (all) => all.some(({ text }) => text.includes(payment_id)))
      const { text = "" } = mails.find((mail) => mail.text.includes(payment_id)) ?? {}
      const seen = yield* visit(pathOf(text.trimEnd().split("\n").at(-1)))
      expect(seen.status).toBe(200)
      expect(seen.text).toContain("Payment complete")
    })
  )

  it.effect("mail no receipt of what was not paid", () =>
    Effect.gen(function* () {
      const before = (yield* outbox).length
      const { path } = yield* atCheckout({ return_url: null })
      const answer = yield* submit(path, { action: "receipt" })
      expect(answer.headers["location"]).toMatch(/receipt=failed$/)
      expect(yield* outbox).toHaveLength(before)
    })
  )
})
